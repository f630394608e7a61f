/*
 * key_condition.c
 *		From the sources of a key's values to a condition.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "gate/bound/key_condition.h"
#include "server/queries.h"

/* An expression as the operator takes it; the types have the same bytes. */
static Node *
relabel(Node *expression, Oid type, Oid collation)
{
	return (Node *) makeRelabelType((Expr *) copyObject(expression), type, -1,
									collation, COERCE_IMPLICIT_CAST);
}

/* Whether it takes a computation to find the values. */
static bool
are_computed(List *sources)
{
	ListCell *cell;

	foreach (cell, sources)
	{
		if (!IsA(lfirst(cell), Const) && !IsA(lfirst(cell), Param))
			return true;
	}
	return false;
}

/* (SELECT expression), which the server evaluates once for a statement. */
static Node *
once(Node *expression)
{
	Query *query = dp_query_make();
	SubLink *link = makeNode(SubLink);

	query->jointree = makeFromExpr(NIL, NULL);
	(void) dp_query_add_target(query, expression, NULL);
	link->subLinkType = EXPR_SUBLINK;
	link->subselect = (Node *) query;
	link->location = -1;
	return (Node *) link;
}

/* expression = ANY (ARRAY[sources]); NULL where there are no such arrays. */
static Node *
is_any_of(Node *expression, List *sources, Oid equality)
{
	Oid collation = exprCollation(expression);
	ArrayExpr *array = makeNode(ArrayExpr);
	ScalarArrayOpExpr *result = makeNode(ScalarArrayOpExpr);
	Oid type;
	Oid other;
	ListCell *cell;

	op_input_types(equality, &type, &other);
	array->array_typeid = get_array_type(type);
	if (!OidIsValid(array->array_typeid) || other != type)
		return NULL;
	array->array_collid = collation;
	array->element_typeid = type;
	array->location = -1;
	foreach (cell, sources)
		array->elements =
			lappend(array->elements, relabel(lfirst(cell), type, collation));
	result->opno = equality;
	result->opfuncid = get_opcode(equality);
	result->useOr = true;
	result->inputcollid = collation;
	result->args = list_make2(relabel(expression, type, collation),
							  are_computed(sources) ? once((Node *) array)
													: (Node *) array);
	result->location = -1;
	return (Node *) result;
}

static Node *
is_null(Node *expression)
{
	NullTest *test = makeNode(NullTest);

	test->arg = copyObject((Expr *) expression);
	test->nulltesttype = IS_NULL;
	test->location = -1;
	return (Node *) test;
}

Node *
dp_key_condition(const DpKey *key, Node *column, const SortGroupClause *clause,
				 uint64 *values)
{
	Node *condition;

	*values = 0;
	if (dp_key_values(key) == 0 || dp_together_are_too_many(key->sources))
		return NULL;
	condition = is_any_of(column, key->sources, clause->eqop);
	if (condition == NULL)
		return NULL;
	*values = dp_key_values(key);
	if (*values == (uint64) list_length(key->sources))
		return condition;
	return (Node *) make_orclause(list_make2(condition, is_null(column)));
}

/* lower <= column <= upper, in the order of the type. */
static Node *
is_between(Node *column, Const *const bounds[2])
{
	static const int16 strategies[] = {BTGreaterEqualStrategyNumber,
									   BTLessEqualStrategyNumber};
	Oid type = bounds[0]->consttype;
	Oid family = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
	List *ends = NIL;
	int end;

	for (end = 0; end < 2; end++)
	{
		Oid operator= get_opfamily_member(family, type, type, strategies[end]);

		if (!OidIsValid(operator))
			elog(ERROR, "a type with bounds has no order");
		ends = lappend(ends,
					   make_opclause(operator, BOOLOID, false,
									 (Expr *) relabel(column, type, InvalidOid),
									 (Expr *) copyObject(bounds[end]),
									 InvalidOid, InvalidOid));
	}
	return (Node *) make_andclause(ends);
}

Node *
dp_key_condition_kept(const DpKept *kept, Node *column,
					  const SortGroupClause *clause)
{
	Node *condition = kept->values != NIL
						  ? is_any_of(column, kept->values, clause->eqop)
						  : is_between(column, kept->bounds);

	if (condition == NULL)
		elog(ERROR, "a type of declared values has no arrays");
	return kept->is_nullable
			   ? (Node *) make_orclause(list_make2(condition, is_null(column)))
			   : condition;
}
