/*
 * collations.h
 *		Texts compared byte by byte.
 */
#ifndef DP_GATE_READ_COLLATIONS_H
#define DP_GATE_READ_COLLATIONS_H

#include "nodes/parsenodes.h"

/*
 * Refuses texts that are compared by a collation other than "C", which depends
 * on a locale. Errors: feature_not_supported.
 */
extern void dp_collations_check_order(Oid collation, int location);

/* The same of json, which has no collation of its own but the database's. */
extern void dp_collations_check_default(Node *node);

/*
 * Refuses a call that asks what is a letter by a collation other than the
 * database's and "C": that is looked up, too. Errors: feature_not_supported.
 */
extern void dp_collations_check_letters(Oid collation, Node *call);

#endif
