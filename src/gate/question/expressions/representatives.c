/*
 * representatives.c
 *		One form for values that are equal but can be told apart.
 *
 * A key is replaced wherever the query names it, since the server may compute
 * expressions over it from any row of the group. Numbers of a declared scale
 * have one form already.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "gate/question/expressions/expression.h"
#include "gate/question/expressions/representatives.h"
#include "gate/question/expressions/totals.h"
#include "server/collations.h"

/* Where in a query an expression is. */
typedef struct Where
{
	List *keys; /* of its groups, as they are written */
	int depth;	/* how many sub-queries further in */
} Where;

static Expr *
call(Oid function, Oid type, List *args)
{
	return (Expr *) makeFuncExpr(function, type, args, InvalidOid, InvalidOid,
								 COERCE_EXPLICIT_CALL);
}

/* Adding zero turns -0 into 0. */
static Expr *
add_zero(Oid function, Oid type, Expr *value)
{
	Datum zero = type == FLOAT4OID ? Float4GetDatum(0) : Float8GetDatum(0);
	int16 length;
	bool by_value;

	get_typlenbyval(type, &length, &by_value);
	return call(function, type,
				list_make2(value, makeConst(type, -1, InvalidOid, length, zero,
											false, by_value)));
}

/*
 * A value without the collation that a key alone has, to be compared by bytes.
 */
static Node *
as_written(Node *value)
{
	while (IsA(value, RelabelType) &&
		   ((RelabelType *) value)->resulttype ==
			   exprType((Node *) ((RelabelType *) value)->arg))
		value = (Node *) ((RelabelType *) value)->arg;
	return value;
}

/* A column of a declared scale or length has one form already. */
static bool
is_declared(Expr *value)
{
	Node *written = as_written((Node *) value);

	return IsA(written, Var) && exprTypmod(written) >= 0;
}

/* The one form of a value; the expression itself where it has but one. */
static Expr *
one_form(Expr *value)
{
	Oid type = exprType((Node *) value);
	Expr *result;

	switch (getBaseType(type))
	{
		case NUMERICOID:
			if (is_declared(value))
				return value;
			result = call(F_TRIM_SCALE, NUMERICOID, list_make1(value));
			break;
		case FLOAT4OID:
			result = add_zero(F_FLOAT4PL, FLOAT4OID, value);
			break;
		case FLOAT8OID:
			result = add_zero(F_FLOAT8PL, FLOAT8OID, value);
			break;
		case BPCHAROID:
			if (is_declared(value))
				return value;
			result = (Expr *) makeRelabelType(
				call(F_TEXT_BPCHAR, TEXTOID, list_make1(value)), BPCHAROID, -1,
				exprCollation((Node *) value), COERCE_IMPLICIT_CAST);
			break;
		default:
			return value;
	}
	if (type == getBaseType(type))
		return result;
	return (Expr *) makeRelabelType(result, type, exprTypmod((Node *) value),
									exprCollation((Node *) value),
									COERCE_IMPLICIT_CAST);
}

/* Whether equal values of a type are identical, or can be made so. */
static bool
can_have_one_form(Oid type)
{
	switch (getBaseType(type))
	{
		case BYTEAOID:
		case CHAROID:
		case NAMEOID:
		case TIMETZOID:
		case INETOID:
		case CIDROID:
		case MACADDROID:
		case MACADDR8OID:
		case BITOID:
		case VARBITOID:
		case CASHOID:
			return true;
		default:
			return dp_gate_is_sortable(type) || type_is_enum(getBaseType(type));
	}
}

bool
dp_gate_has_one_form(Node *value)
{
	return can_have_one_form(exprType(value)) &&
		   !dp_is_nondeterministic(exprCollation(value)) &&
		   one_form((Expr *) value) == (Expr *) value;
}

static void
check_form(Node *key, const char *what)
{
	if (!can_have_one_form(exprType(key)))
		dp_gate_refuse(psprintf("%s of type %s in a sub-query", what,
								format_type_be(exprType(key))),
					   "Its equal values can have several forms: use a "
					   "number, a text, a date or a time made of it.",
					   exprLocation(key));
}

/* Aggregates */

/*
 * Makes an aggregate add floating-point values in their order; DISTINCT sorts
 * them anyway.
 */
static void
represent_aggregate(Aggref *aggref)
{
	TargetEntry *entry;

	if (aggref->args == NIL)
		return;
	entry = linitial_node(TargetEntry, aggref->args);
	if (dp_functions_picks_one(aggref->aggfnoid) || aggref->aggdistinct != NIL)
		entry->expr = one_form(entry->expr);
	if (dp_functions_adds_floats(aggref->aggfnoid) &&
		aggref->aggdistinct == NIL)
	{
		entry->ressortgroupref = 0;
		aggref->aggorder = list_make1(dp_gate_clause_for(entry, aggref->args));
	}
}

static void
represent_window(WindowFunc *function)
{
	if (dp_functions_adds_floats(function->winfnoid))
		dp_gate_refuse("a floating-point sum or average over a window",
					   "It would depend on the order of rows: cast what is "
					   "added to numeric.",
					   function->location);
	if (dp_functions_picks_one(function->winfnoid))
		linitial(function->args) = one_form(linitial(function->args));
}

/* Keys */

static bool
is_key(Node *node, const Where *where)
{
	ListCell *cell;

	foreach (cell, where->keys)
	{
		Node *key = lfirst(cell);

		if (where->depth > 0)
		{
			key = copyObject(key);
			IncrementVarSublevelsUp(key, where->depth, 0);
		}
		if (equal(key, node))
			return true;
	}
	return false;
}

static Node *
represent(Node *node, void *context)
{
	Where *where = context;
	Node *result;

	if (node == NULL)
		return NULL;
	if (IsA(node, Query))
	{
		where->depth++;
		result = (Node *) query_tree_mutator((Query *) node, represent, context,
											 QTW_IGNORE_JOINALIASES);
		where->depth--;
		return result;
	}
	if (IsA(node, Aggref) &&
		(int) ((Aggref *) node)->agglevelsup == where->depth)
	{
		result =
			copyObject(node); /* its arguments see the rows, not their groups */
		represent_aggregate((Aggref *) result);
		return result;
	}
	if (is_key(node, where))
		return (Node *) one_form((Expr *) copyObject(node));
	result = expression_tree_mutator(node, represent, context);
	if (IsA(result, WindowFunc) && where->depth == 0)
		represent_window((WindowFunc *) result);
	return result;
}

void
dp_gate_represent(Query *query)
{
	Where where = {NIL, 0};
	ListCell *cell;

	foreach (cell, query->groupClause)
	{
		Node *key = get_sortgroupclause_expr(lfirst(cell), query->targetList);

		check_form(key, "GROUP BY");
		if (one_form((Expr *) key) != (Expr *) key)
			where.keys = lappend(where.keys, copyObject(as_written(key)));
	}
	query->targetList = (List *) represent((Node *) query->targetList, &where);
	query->havingQual = represent(query->havingQual, &where);
	foreach (cell, query->distinctClause)
	{
		TargetEntry *entry =
			get_sortgroupclause_tle(lfirst(cell), query->targetList);

		check_form((Node *) entry->expr, "DISTINCT");
		entry->expr = one_form(entry->expr);
	}
}
