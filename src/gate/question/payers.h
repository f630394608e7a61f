/*
 * payers.h
 *		How those count who would pay for a question.
 */
#ifndef DP_GATE_QUESTION_PAYERS_H
#define DP_GATE_QUESTION_PAYERS_H

#include "nodes/pg_list.h"

/*
 * Whether all limited budgets that the session's user pays from for some relations
 * count rho (zCDP), and there is one. As of now: the ledger decides what a charge
 * fits when it is made.
 */
extern bool dp_gate_pay_by_rho(List *relations);

#endif
