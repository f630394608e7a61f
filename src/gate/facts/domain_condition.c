/*
 * domain_condition.c
 *		From the sources of a key's values to a condition.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "gate/facts/domain.h"

/* More expressions than these would be too many to evaluate for every row. */
#define MOST_EXPRESSIONS 100

/* An expression as the operator takes it; the types have the same bytes. */
static Node *
relabel(const Node *expression, Oid type, Oid collation)
{
	return (Node *) makeRelabelType((Expr *) copyObject(expression), type, -1,
									collation, COERCE_IMPLICIT_CAST);
}

/* column = ANY (ARRAY[sources]); NULL where there are no such arrays. */
static Node *
is_any_of(const Node *column, const List *sources, Oid equality)
{
	Oid collation = exprCollation(column);
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
	result->args = list_make2(relabel(column, type, collation), array);
	result->location = -1;
	return (Node *) result;
}

static Node *
is_null(const Node *column)
{
	NullTest *test = makeNode(NullTest);

	test->arg = (Expr *) copyObject(column);
	test->nulltesttype = IS_NULL;
	test->location = -1;
	return (Node *) test;
}

Node *
dp_domain_condition(const DpDomain *domain, Node *column, Oid equality)
{
	uint64 values = dp_domain_values(domain);
	Node *condition;

	if (values == 0 || (list_length(domain->sources) > MOST_EXPRESSIONS &&
						!IsA(linitial(domain->sources), Const)))
		return NULL;
	condition = is_any_of(column, domain->sources, equality);
	if (condition == NULL || values == (uint64) list_length(domain->sources))
		return condition;
	return (Node *) make_orclause(list_make2(condition, is_null(column)));
}
