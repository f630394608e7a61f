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
 * Has texts compared byte by byte in a query, as every collation does that
 * is allowed there. A collation is looked up when the first row comes to it: one
 * of a user's could have gone by then, and the error would tell of that row.
 */
extern void dp_gate_compare_bytes(Query *inner);
extern void dp_gate_compare_bytes_of(Node *expression);

#endif
