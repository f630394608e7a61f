/*
 * owner.h
 *		Whose a node's rows are.
 *
 * Rows are public, or each is owned by one privacy unit, which some of its
 * columns name. There are two sorts of names:
 *
 * - the value of the unit itself, as the population has it; where the unit is
 *   the row, what identifies that;
 * - a unique key of a protected relation: two rows with the same values of it
 *   come from one row of that relation, and so belong to one unit. An order's
 *   number names a customer, also in lines that only refer to an order along a
 *   path.
 *
 * Everything that makes rows of a unit from rows of that unit and from public
 * ones is allowed; it does not matter how many rows result, since contributions
 * are bounded at the end. Two databases are neighbours if one lacks all rows of
 * one unit: by each of the rules below, only rows that the unit owns differ then.
 *
 * Rows whose unit is null, and rows that refer along a path to nothing, belong
 * to nobody. They are rows of one further unit that is never counted: reading
 * a question joins the rest of the path at the end, which leaves them out.
 *
 * The rules, by kind of node:
 *
 *   scan       owned by its unit; named by the unit's column, or along a path by
 *              the columns that refer, and by the relation's unique keys
 *   public     public
 *   join       public if all inputs are; else what is owned must have one unit by
 *              the equalities that hold in its rows: names of the same sort whose
 *              columns are equal. All names of the inputs hold
 *   left join  the left side's; an owned right side must have the same unit by
 *              the join's conditions and what holds on the left. Public rows
 *              LEFT JOIN owned ones: no rule, the result would have rows that
 *              nobody owns
 *   group      the keys must include all columns of a name; names whose columns
 *              are keys stay
 *   window     each partition must include all columns of a name
 *   union      a name of all inputs, in the same columns
 *   view       its input's
 *   project    names whose columns it keeps
 *
 * A sub-query in an expression must be public, or its unit must be that of the
 * row by the sub-query's own conditions or by the comparison of IN.
 */
#ifndef DP_GATE_FACTS_OWNER_H
#define DP_GATE_FACTS_OWNER_H

#include "gate/facts/equalities.h"
#include "gate/tree/node.h"

/* Columns that name a unit. */
typedef struct DpUnitName
{
	/*
	 * Of a unit's value: the population. Of a key: 0, and a protected relation
	 * with the columns of the key, ascending.
	 */
	int32 population;
	Oid relation;
	List *key; /* integers */

	/*
	 * The columns of the row that have these values, integers from 0, beside
	 * key; of a unit that is the row, of a relation and without a key, what
	 * identifies that.
	 */
	List *columns;
} DpUnitName;

typedef enum DpOwnerProblem
{
	DP_OWNER_FINE,
	DP_OWNER_OTHER_UNITS,	   /* a join of owned rows whose units differ */
	DP_OWNER_ROW_UNITS,		   /* the same, of units that are rows */
	DP_OWNER_ADDS_TO_PUBLIC,   /* public rows LEFT JOIN owned ones */
	DP_OWNER_GROUPS_OF_OTHERS, /* groups, or distinct rows, of several units */
	DP_OWNER_WINDOW_OF_OTHERS,
	DP_OWNER_UNION_OF_OTHERS, /* parts of a UNION ALL of several sorts of units */
	DP_OWNER_COLLATION /* units meet whose equality is of a nondeterministic collation */
} DpOwnerProblem;

typedef struct DpOwner
{
	bool is_owned;
	List *
		names; /* of DpUnitName; NIL: each row is another unit's, and nothing names it */
	List *
		populations; /* integers, ascending: whose people decide about the rows */
	bool
		exchanges; /* removing a unit of one population may put a row in another's place */
	DpOwnerProblem problem;
	int problem_input; /* which of the inputs, or which window call, has it */
} DpOwner;

/* The owner of a node's rows. equal: what holds in the row its expressions see. */
extern DpOwner dp_owner_of_node(const DpNode *node, const DpEqualities *equal);

/*
 * Whether two owners, of rows that meet in one row, are one unit there. their
 * columns are of that row: shifted by the caller. *crosses: units of several
 * populations meet, by their values.
 */
extern bool dp_owner_same_unit(const DpOwner *one, const DpOwner *other,
							   const DpEqualities *equal, bool *crosses);

/* Whether some expressions over a row have one value only where its unit is one. */
extern bool dp_owner_is_determined(const DpOwner *owner,
								   const DpEqualities *equal, List *exprs);

/*
 * Whether the rows of a sub-query in an expression of a node belong to the unit
 * of that node's row, as owner.h says; public ones do. row: of that node.
 */
extern bool dp_owner_of_subquery(const DpExpr *expr, const DpOwner *row_owner,
								 const DpEqualities *row_equal, bool *crosses);

/* The name by a unit's value; NULL: there is none yet, a path must be followed. */
extern const DpUnitName *dp_owner_value_name(const DpOwner *owner);

#endif
