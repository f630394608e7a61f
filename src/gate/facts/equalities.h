/*
 * equalities.h
 *		Which columns are equal in all rows of a node.
 *
 * Classes of columns: in each row, all columns of a class are null, or they
 * equal each other in the way in which each one's own type tells values apart:
 * so two values that equal a third equal each other. Operators that depend on the
 * time zone are none: two times of a day are one instant when clocks are put
 * back. Columns may be of rows around a sub-query (depth 1 and more).
 *
 * Two columns are in one class by an equation, which does not hold for nulls; or
 * because they are copies of one. So where columns of several inputs of a join,
 * or of a row around, are in a class, an equation has put them there, and they
 * are not null in the join's rows. On the nullable side of a left join a class
 * stays one: all are null where no row matched.
 */
#ifndef DP_GATE_FACTS_EQUALITIES_H
#define DP_GATE_FACTS_EQUALITIES_H

#include "gate/tree/node.h"

/* Classes: a list of lists of const DpExpr, DP_EXPR_COLUMN. */
typedef List DpEqualities;

/* What holds in a node's rows; and in the row that its expressions see. */
extern DpEqualities *dp_equalities_of(const DpNode *node);
extern DpEqualities *dp_equalities_of_row(const DpNode *node);

/*
 * Whether a condition equates two operands in the way in which the column's
 * values are told apart.
 */
extern bool dp_equalities_equates(const DpExpr *condition,
								  const DpExpr *column);

/* Adds what a condition says. The argument may be changed. */
extern DpEqualities *dp_equalities_learn(DpEqualities *known,
										 const DpExpr *condition);
extern DpEqualities *dp_equalities_add(DpEqualities *known, const DpExpr *one,
									   const DpExpr *other);
extern DpEqualities *dp_equalities_join(DpEqualities *known,
										const DpEqualities *more);

/* The same seen from a sub-query of the row: at a greater depth. */
extern DpEqualities *dp_equalities_deepen(const DpEqualities *known);

extern bool dp_equalities_has(const DpEqualities *known, DpColumnName one,
							  DpColumnName other);

/* The class of a column; NIL: it has none but itself. */
extern List *dp_equalities_class(const DpEqualities *known, DpColumnName name);

/*
 * The left joins beneath a join whose nullable side is known to have matched: an
 * equation of the join's own conditions names a column of it. So the conditions
 * of such a left join hold, in all rows or all matches of the join. Of DpMatched.
 */
typedef struct DpMatched
{
	const DpNode *left_join;
	int offset; /* of its columns in the join's row */
} DpMatched;

extern List *dp_equalities_matched(const DpNode *join);

/* The columns that equal one, with itself. */
extern Bitmapset *dp_equalities_of_column(const DpEqualities *known,
										  int number);

#endif
