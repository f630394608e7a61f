/*
 * join_conditions.h
 *		The conditions of FROM, one by one.
 *
 * The arms of WHERE and of the ON clauses of inner joins all hold in each row,
 * no matter in which clause they are written.
 */
#ifndef DP_GATE_QUESTION_ROWS_JOIN_CONDITIONS_H
#define DP_GATE_QUESTION_ROWS_JOIN_CONDITIONS_H

#include "nodes/parsenodes.h"

/* Adds what is ANDed in a condition, or a list of such, which may be NULL. */
extern void dp_gate_add_arms(Node *condition, List **arms);

/*
 * Takes those of some conditions out that are of one public FROM item alone
 * and could not be asked of protected rows: they are applied to its copy.
 */
extern List *dp_gate_take_own_arms(List **arms, int rtindex);

/* The conditions of inner joins and of WHERE, ANDed; may be NULL. */
extern Node *dp_gate_inner_conditions(Query *query);

#endif
