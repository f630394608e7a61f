/*
 * payers.h
 *		What the budgets that would pay for a question say about it.
 */
#ifndef DP_GATE_QUESTION_RELATIONS_PAYERS_H
#define DP_GATE_QUESTION_RELATIONS_PAYERS_H

#include "gate/question/relations/relations.h"

/*
 * Whether all limited budgets that the session's user pays from for some relations
 * count rho (zCDP), and there is one. As of now: the ledger decides what a charge
 * fits when it is made.
 */
extern bool dp_gate_pay_by_rho(const DpRelations *relations);

/*
 * The least default_epsilon of all budgets that the session's user pays from for
 * some relations; 0 where none has one.
 */
extern double dp_gate_default_epsilon(const DpRelations *relations);

#endif
