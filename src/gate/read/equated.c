/*
 * equated.c
 *		Equations of columns that nobody wrote.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "access/transam.h"
#include "catalog/pg_type.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "gate/facts/facts.h"
#include "gate/facts/references.h"
#include "gate/read/equated.h"
#include "gate/tree/functions.h"
#include "server/stack.h"

/*
 * Columns
 */

/*
 * Whether values of two types are, bit by bit, what an operator class
 * compares.
 */
static bool
are_of_input(Oid left, Oid right, Oid input)
{
	return left == right ||
		   (!IsPolymorphicType(input) && IsBinaryCoercible(left, input) &&
			IsBinaryCoercible(right, input));
}

static Oid
operator_of(Oid left, Oid right)
{
	const TypeCacheEntry *type =
		lookup_type_cache(right, TYPECACHE_BTREE_OPFAMILY);
	Oid result;

	if (!OidIsValid(type->btree_opf))
		return InvalidOid;
	result = get_opfamily_member(type->btree_opf, left, right,
								 BTEqualStrategyNumber);
	if (!OidIsValid(result) && are_of_input(left, right, type->btree_opintype))
		result =
			get_opfamily_member(type->btree_opf, type->btree_opintype,
								type->btree_opintype, BTEqualStrategyNumber);
	return result;
}

const DpExpr *
dp_equated_columns(const DpExpr *one, const DpExpr *other)
{
	Oid equals =
		operator_of(getBaseType(one->type.oid), getBaseType(other->type.oid));
	DpExpr *result;

	if (!OidIsValid(equals) || equals >= FirstNormalObjectId ||
		!dp_functions_is_total(get_opcode(equals)))
		return NULL;
	result = dp_expr_over(DP_EXPR_CALL, (DpType){BOOLOID, -1, InvalidOid},
						  list_make2((void *) one, (void *) other), -1);
	result->input_collation = other->type.collation;
	result->call.function = get_opcode(equals);
	result->call.operator= equals;
	return result;
}

/*
 * Units
 */

/* Rows that are joined, as their join's expressions see them. */
typedef struct Side
{
	const DpNode *node;
	int offset; /* of its columns in the row */
	int depth;	/* 1: it is the row around a sub-query */
} Side;

/* The unit's column of owned rows by its value; NULL: it has none. */
static const DpExpr *
unit_of(const Side *side)
{
	const DpOwner *owner = &side->node->facts->owner;
	const DpUnitName *name = dp_owner_value_name(owner);
	DpColumnName column = {side->depth, 0};

	if (!owner->is_owned || name == NULL || OidIsValid(name->relation) ||
		name->is_loose)
		return NULL;
	column.number = linitial_int(name->columns);
	return dp_expr_column(
		(DpColumnName){side->depth, side->offset + column.number},
		side->node->columns[column.number].type, -1);
}

static List *
references_of(const Side *side)
{
	List *references = side->node->facts->owner.references;

	return side->depth > 0 ? dp_names_deepen(references)
						   : dp_names_shift(references, side->offset);
}

/* The column that one of some expressions is, as all that name units are. */
static int
column_of(const List *exprs, int number)
{
	return dp_expr_column_of(list_nth(exprs, number))->column.number;
}

static const char *
words_in(Oid relation, AttrNumber attribute)
{
	return psprintf("%s.%s", quote_identifier(get_rel_name(relation)),
					quote_identifier(get_attname(relation, attribute, false)));
}

/*
 * A unit's column of a node's as its relation calls it, which is a protected view
 * where the column is one of that.
 */
static const char *
words_of(const DpNode *node, int column)
{
	const DpView *view = (const DpView *) node;
	int input = 0;

	dp_stack_enter();
	switch (node->kind)
	{
		case DP_NODE_SCAN:
			return words_in(((const DpScan *) node)->relation,
							((const DpScan *) node)->attributes[column]);
		case DP_NODE_VIEW:
			if (view->attributes[column] > 0)
				return words_in(view->relation, view->attributes[column]);
			break;
		case DP_NODE_PROJECT:
			column = column_of(((const DpProject *) node)->exprs, column);
			break;
		case DP_NODE_GROUP:
			column = column_of(((const DpGroup *) node)->keys, column);
			break;
		case DP_NODE_JOIN:
		case DP_NODE_LEFT_JOIN:
			while (input < node->ninputs - 1 &&
				   dp_node_offset(node, input + 1) <= column)
				input++;
			column -= dp_node_offset(node, input);
			break;
		default:
			break;
	}
	return words_of(node->inputs[input], column);
}

/*
 * That two sides have one unit, where one refers to what the other is or refers
 * to; NULL: they do not, or it is known.
 */
static const DpExpr *
equate(const Side *one, const Side *other, const DpEqualities *known,
	   List **words)
{
	const DpExpr *left = unit_of(one);
	const DpExpr *right = unit_of(other);
	const DpExpr *result;

	if (left == NULL || right == NULL ||
		dp_owner_value_name(&one->node->facts->owner)->population !=
			dp_owner_value_name(&other->node->facts->owner)->population ||
		dp_equalities_has(known, left->column, right->column) ||
		!dp_references_meet(references_of(one), references_of(other), known))
		return NULL;
	result = dp_equated_columns(left, right);
	if (result != NULL)
		*words = lappend(
			*words,
			psprintf(
				"%s = %s",
				words_of(one->node, left->column.number - one->offset),
				words_of(other->node, right->column.number - other->offset)));
	return result;
}

List *
dp_equated_units(const DpNode *join, List **words)
{
	DpEqualities *known = dp_equalities_of_row(join);
	List *equations = NIL;
	int i;
	int j;

	*words = NIL;
	for (i = 0; i < join->ninputs; i++)
	{
		Side one = {join->inputs[i], dp_node_offset(join, i), 0};

		for (j = i + 1; j < join->ninputs; j++)
		{
			Side other = {join->inputs[j], dp_node_offset(join, j), 0};
			const DpExpr *equation = equate(&one, &other, known, words);

			if (equation == NULL)
				continue;
			equations = lappend(equations, (void *) equation);
			known = dp_equalities_learn(known, equation);
		}
	}
	return equations;
}

List *
dp_equated_outer_units(const DpNode *rows, const DpNode *row, List *compared,
					   List **words)
{
	const DpOwner *own = &rows->facts->owner;
	const DpOwner *around = &row->facts->owner;
	Side one = {rows, 0, 0};
	Side other = {row, 0, 1};
	DpEqualities *known = dp_equalities_join(
		dp_equalities_deepen(row->facts->equal), rows->facts->equal);
	const DpExpr *equation;

	*words = NIL;
	if (!own->is_owned || !around->is_owned ||
		dp_names_are_one_unit(dp_names_deepen(around->names), own->names, known,
							  dp_owned_trusts_keys(around, own, own->hosts)))
		return NIL;
	foreach_ptr (const DpExpr, expr, compared)
		known = dp_equalities_learn(known, expr);
	equation = equate(&one, &other, known, words);
	return equation == NULL ? NIL : list_make1((void *) equation);
}
