/*
 * compare_bytes.h
 *		Texts compared byte by byte.
 */
#ifndef DP_GATE_QUESTION_EXPRESSIONS_COMPARE_BYTES_H
#define DP_GATE_QUESTION_EXPRESSIONS_COMPARE_BYTES_H

#include "nodes/parsenodes.h"

/*
 * Refuses texts that are compared by a collation other than "C", which depends
 * on a locale. Errors: feature_not_supported.
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
 * Makes a query compare texts byte by byte, which is what every collation does
 * that is allowed there. A collation is looked up when the first row is
 * compared: a user-defined one could have been dropped by then, and the error
 * would reveal that there is such a row. The database's collation always
 * exists, and functions keep it: it decides what is a letter
 * (DP_RULE_LETTERS).
 */
extern void dp_gate_compare_bytes(Query *inner);
extern void dp_gate_compare_bytes_of(Node *expression);

#endif
