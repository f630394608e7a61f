/*
 * compare_bytes.h
 *		Texts compared byte by byte.
 */
#ifndef DP_GATE_QUESTION_EXPRESSIONS_COMPARE_BYTES_H
#define DP_GATE_QUESTION_EXPRESSIONS_COMPARE_BYTES_H

#include "nodes/parsenodes.h"

/*
 * Refuses texts that are compared by a collation other than "C", which asks a
 * locale. Errors: feature_not_supported.
 */
extern void dp_gate_check_bytes(Oid collation, int location);

/* The same of json, which has no collation of its own but the database's. */
extern void dp_gate_check_default_bytes(Node *node);

/*
 * Refuses a call that asks what is a letter by a collation other than the
 * database's and "C": that is looked up, too. Errors: feature_not_supported.
 */
extern void dp_gate_check_letters(Oid collation, Node *call);

/*
 * Has texts compared byte by byte in a query, as every collation does that
 * is allowed there. A collation is looked up when the first row comes to it: one
 * of a user's could have gone by then, and the error would tell of that row.
 * The database's is always there, and functions keep it: what is a letter is
 * said by it (DP_RULE_LETTERS).
 */
extern void dp_gate_compare_bytes(Query *inner);
extern void dp_gate_compare_bytes_of(Node *expression);

#endif
