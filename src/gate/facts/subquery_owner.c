/*
 * subquery_owner.c
 *		Whose the rows of a sub-query in an expression are.
 */
#include "postgres.h"

#include "gate/facts/facts.h"
#include "gate/facts/subquery_owner.h"

/* Whether a column, null or not, is one of a name that tells whose a row is. */
static bool
is_of_name(const List *names, const DpEqualities *equal, DpColumnName column)
{
	ListCell *other;

	foreach_ptr (const DpUnitName, name, names)
	{
		foreach (other, name->is_open ? NIL : name->columns)
		{
			if (dp_equalities_has(
					equal, (DpColumnName){name->depth, lfirst_int(other)},
					column))
				return true;
		}
	}
	return false;
}

/* Seen from within the sub-query: its own columns are what is compared. */
static const DpExpr *
compare_within(const DpExpr *expr, int depth, void *context)
{
	DpColumnName name = {0, expr->parameter};

	(void) context;
	if (depth > 0)
		return NULL;
	if (expr->kind == DP_EXPR_COLUMN)
		return dp_expr_deepen(expr, 1);
	if (expr->kind == DP_EXPR_COMPARED)
		return dp_expr_column(name, expr->type, expr->location);
	return NULL;
}

static bool
compares_columns(const DpExpr *arm)
{
	int i;

	for (i = 0; i < arm->nargs; i++)
	{
		const DpExpr *arg = dp_expr_unlabelled(arm->args[i]);

		if (arg->kind != DP_EXPR_COLUMN && arg->kind != DP_EXPR_COMPARED)
			return false;
	}
	return arm->kind == DP_EXPR_CALL;
}

/*
 * Adds an arm of the comparison of IN, if it compares what names a unit with
 * what does around; see owner.h for why nothing else counts.
 */
static DpEqualities *
learn_compared(DpEqualities *known, const DpExpr *arm, const List *around,
			   const List *names, Bitmapset **compared)
{
	DpEqualities *own =
		compares_columns(arm)
			? dp_equalities_learn(NIL,
								  dp_expr_change(arm, compare_within, NULL))
			: NIL;
	const DpExpr *one;
	const DpExpr *other;

	if (own == NIL)
		return known;
	one = linitial((List *) linitial(own));
	other = lsecond((List *) linitial(own));
	if (one->column.depth == 0)
	{
		const DpExpr *within = one;

		one = other;
		other = within;
	}
	if (one->column.depth == 0 || other->column.depth != 0 ||
		!is_of_name(around, known, one->column) ||
		!is_of_name(names, known, other->column))
		return known;
	*compared = bms_add_member(*compared, other->column.number);
	return dp_equalities_add(known, one, other);
}

/* Columns that are not null by conditions of their own. */
static Bitmapset *
columns_not_null(const DpNode *node)
{
	Bitmapset *columns = NULL;

	if (node->kind != DP_NODE_JOIN)
		return NULL;
	foreach_ptr (const DpExpr, test, ((const DpJoin *) node)->conditions)
	{
		if (test->kind == DP_EXPR_NULL_TEST && test->is_negated &&
			test->args[0]->kind == DP_EXPR_COLUMN &&
			test->args[0]->column.depth == 0)
			columns = bms_add_member(columns, test->args[0]->column.number);
	}
	return columns;
}

DpOwnerProblem
dp_subquery_owner(const DpExpr *expr, const DpOwner *row_owner,
				  const DpEqualities *row_equal, Bitmapset **not_null)
{
	const DpNode *rows = expr->subquery->rows;
	const DpOwner *own = &rows->facts->owner;
	List *around = dp_names_deepen(row_owner->names);
	DpEqualities *known =
		dp_equalities_join(dp_equalities_deepen(row_equal), rows->facts->equal);
	bool by_keys;

	*not_null = NULL;
	if (!own->is_owned)
		return own->problem;
	if (!row_owner->is_owned)
		return DP_OWNER_SUBQUERY_OF_PUBLIC;
	if (own->is_loose || row_owner->is_loose)
		return DP_OWNER_SUBQUERY_COLLATION;
	if (own->problem != DP_OWNER_FINE)
		return DP_OWNER_SUBQUERY;
	by_keys = dp_owned_trusts_keys(row_owner, own, own->hosts);
	if (dp_names_are_one_unit(around, own->names, known, by_keys))
		return DP_OWNER_FINE;
	foreach_ptr (const DpExpr, one,
				 expr->subquery->form == ANY_SUBLINK
					 ? dp_expr_arms(expr->args[0], NIL)
					 : NIL)
		known = learn_compared(known, one, around, own->names, not_null);
	if (!dp_names_are_one_unit(around, own->names, known, by_keys))
		return DP_OWNER_SUBQUERY;
	*not_null = bms_difference(*not_null, columns_not_null(rows));
	return DP_OWNER_FINE;
}
