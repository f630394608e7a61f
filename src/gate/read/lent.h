/*
 * lent.h
 *		Checks what a protected view reads, and so lends.
 */
#ifndef DP_GATE_READ_LENT_H
#define DP_GATE_READ_LENT_H

#include "nodes/parsenodes.h"

/*
 * Checks the query of a view that is protected, or is to be. What is public in it is
 * then read with the rights of whoever asks: the query is changed. Errors:
 * feature_not_supported, insufficient_privilege, object_not_in_prerequisite_state.
 */
extern void dp_lent_check(Query *query, Oid view);

#endif
