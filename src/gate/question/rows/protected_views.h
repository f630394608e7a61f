/*
 * protected_views.h
 *		Protected views: sub-queries with settings and budgets of their own.
 *
 * A view of an owner's, over that owner's protected relations, can be protected
 * itself. Its rows get their owners by the rules of all sub-queries; nothing that
 * was found when it was protected is believed later, but all is found anew in each
 * question. Bounds, values, caps and levels are the view's, and so are the
 * budgets of roles that pay. What is read beneath pays by its total, which
 * bounds what is learnt of its people through whatever view.
 *
 * What is public in a view is read as everywhere, with the rights of whoever asks.
 *
 * The view lends its owner's rights, so what it reads must be its owner's to lend:
 * protected relations of that owner, with that owner's rights. Those of others, and
 * what is read with the rights of whoever asks (a view with security_invoker, a
 * function's query), are refused, since what somebody else changes would
 * change what is lent.
 */
#ifndef DP_GATE_QUESTION_ROWS_PROTECTED_VIEWS_H
#define DP_GATE_QUESTION_ROWS_PROTECTED_VIEWS_H

#include "gate/question/rows/rows.h"

/*
 * Gives the rows of a protected view, which a place of FROM of a query stands for,
 * an owner, and adds it to what pays. Errors: as of dp_gate_own_rows;
 * object_not_in_prerequisite_state where the view no longer follows the rules,
 * insufficient_privilege where it reads what is not its owner's.
 */
extern DpOwned *dp_gate_own_view(DpScope *around, int place, Oid view);

#endif
