/*
 * populations.h
 *		Who may ask about the people of a relation, and in what currency.
 *
 * Look-ups in the picture of the statement that is being planned
 * (gate/relations/picture.h), which must be open. As of now: the
 * ledger decides what a charge fits when it is made.
 */
#ifndef DP_GATE_RELATIONS_POPULATIONS_H
#define DP_GATE_RELATIONS_POPULATIONS_H

#include "gate/relations/protection.h"
#include "gate/relations/relations.h"

/*
 * Refuses a relation of an owner who may not have members in its population:
 * object_not_in_prerequisite_state.
 */
extern void dp_populations_check_member(const DpProtection *protection);

/*
 * True when the session's user may ask about a protected relation, however much
 * is left: there is a budget for it, the user's own or one that it shares, or
 * the user owns the population.
 */
extern bool dp_populations_have_budget(Oid relation);

/* Whether all budgets that pay for some relations count rho (zCDP). */
extern bool dp_populations_pay_by_rho(const DpRelations *relations);

/*
 * The least default_epsilon of all budgets that the session's user pays from for
 * some relations; 0 where none has one.
 */
extern double dp_populations_default_epsilon(const DpRelations *relations);

#endif
