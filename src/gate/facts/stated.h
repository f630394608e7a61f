/*
 * stated.h
 *		Values and bounds that conditions state.
 *
 * The rows that pass a condition have the values that it names: `kind IN ('a',
 * 'b')` names two, `day >= '2024-01-01' AND day < '2025-01-01'` the days of a
 * year. They follow from the question alone, so they are public.
 *
 * Only conditions that hold in every row count: none on the nullable side of a left
 * join, and none within a protected view, which who asks does not name. And only
 * the types' own equality and order, which no user can redefine for the server's
 * types.
 */
#ifndef DP_GATE_FACTS_STATED_H
#define DP_GATE_FACTS_STATED_H

#include "gate/facts/compared.h"
#include "gate/tree/node.h"

/* Of the lower end, and of the upper: inclusive. Null is left out by either. */
typedef struct DpStatedBounds
{
	bool has[2];
	int64 numbers[2]; /* that need not be of the column's type */
} DpStatedBounds;

/*
 * The values that conditions on all rows of a node, or of those beneath it, leave
 * an expression over its columns: constants and parameters of its type (const
 * DpExpr); NIL where they leave it any. Null is none of them.
 */
extern List *dp_stated_values(const DpNode *node, const DpExpr *expr);

/*
 * Whether rows pass a condition exactly where an expression has one of some values,
 * which are added to a list: as above, and none that is null. A truth value is
 * its own condition.
 */
extern bool dp_stated_names(const DpExpr *condition, const DpExpr *expr,
							List **values);

/* The bounds that they leave a column. */
extern DpStatedBounds dp_stated_bounds(const DpNode *node,
									   const DpExpr *column);

/*
 * What they, and those of FILTER if it is not NULL, leave an expression over a node's
 * columns where it is not null: by comparisons with constants (gate/facts/compared.h),
 * ANDed and ORed, of the expression or of columns that equal it. So of a column on the
 * nullable side of a left join the join's conditions hold.
 */
extern DpCompared dp_stated_range(const DpNode *node, const DpExpr *filter,
								  const DpExpr *expr);

/* Whether they say of an expression that it is not null: by IS NOT NULL. */
extern bool dp_stated_not_null(const DpNode *node, const DpExpr *expr);

/*
 * Whether columns of a type have stated bounds: of integers, dates and times.
 * Between two of these there are only so many values.
 */
extern bool dp_stated_can_bound(Oid type);

#endif
