/*
 * subquery_owner.h
 *		Whose the rows of a sub-query in an expression are.
 */
#ifndef DP_GATE_FACTS_SUBQUERY_OWNER_H
#define DP_GATE_FACTS_SUBQUERY_OWNER_H

#include "gate/facts/equalities.h"
#include "gate/facts/owned.h"
#include "gate/tree/expr.h"

/*
 * Whether the rows of a sub-query in an expression belong to the unit of the row
 * for which it is computed, as owner.h says, or are public: DP_OWNER_FINE, or the
 * problem. *not_null: columns of the sub-query's rows (integers) that must not be
 * null. Rows in which one is are to be left out: by IS NOT NULL of the column, in
 * a join that is the whole of the sub-query's rows.
 */
extern DpOwnerProblem dp_subquery_owner(const DpExpr *expr,
										const DpOwner *row_owner,
										const DpEqualities *row_equal,
										Bitmapset **not_null);

#endif
