/*
 * contrary.c
 *		Whether two conditions on one row cannot both be true.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "access/transam.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "gate/facts/arithmetic.h"
#include "gate/facts/contrary.h"
#include "gate/tree/functions.h"
#include "server/plain_type.h"
#include "server/stack.h"

/* A condition, or what x IN (...) or NOT IN says by one of its elements. */
typedef struct Part
{
	const DpExpr *expr;
	int element; /* of the list, from 0; -1: all of the condition */
} Part;

static bool are_contrary(Part one, Part other, int *pairs);

/*
 * Values that an expression has once in a row
 */

static bool
may_vary(const DpExpr *expr, void *context)
{
	(void) context;
	switch (expr->kind)
	{
		case DP_EXPR_COLUMN:
			return expr->column.depth != 0;
		case DP_EXPR_CONSTANT:
		case DP_EXPR_PARAMETER:
		case DP_EXPR_RELABEL:
		case DP_EXPR_AND:
		case DP_EXPR_OR:
		case DP_EXPR_NOT:
		case DP_EXPR_NULL_TEST:
		case DP_EXPR_TRUTH_TEST:
			return false;
		case DP_EXPR_CALL:
			return expr->call.function >= FirstNormalObjectId ||
				   !dp_functions_is_total(expr->call.function) ||
				   func_volatile(expr->call.function) != PROVOLATILE_IMMUTABLE;
		default:
			return true;
	}
}

/* Whether an expression has one value in a row, however often it is computed. */
static bool
is_steady(const DpExpr *expr)
{
	return !dp_expr_visit(expr, may_vary, NULL);
}

static bool
are_same(const DpExpr *one, const DpExpr *other)
{
	return dp_expr_equal(dp_expr_unlabelled(one), dp_expr_unlabelled(other)) &&
		   is_steady(one);
}

/*
 * What a condition says of the truth of another
 */

#define IS_TRUE_ 1
#define IS_FALSE_ 2
#define IS_NULL_ 4

/* The values of the innermost condition for which a condition is true. */
static int
truths_of(const DpExpr *expr, const DpExpr **of)
{
	static const int by_test[] = {
		[IS_TRUE] = IS_TRUE_,	 [IS_NOT_TRUE] = IS_FALSE_ | IS_NULL_,
		[IS_FALSE] = IS_FALSE_,	 [IS_NOT_FALSE] = IS_TRUE_ | IS_NULL_,
		[IS_UNKNOWN] = IS_NULL_, [IS_NOT_UNKNOWN] = IS_TRUE_ | IS_FALSE_,
	};

	*of = expr;
	switch (expr->kind)
	{
		case DP_EXPR_NOT:
			*of = expr->args[0];
			return IS_FALSE_;
		case DP_EXPR_TRUTH_TEST:
			*of = expr->args[0];
			return by_test[expr->truth];
		case DP_EXPR_NULL_TEST:
			*of = expr->args[0];
			return expr->is_negated ? IS_TRUE_ | IS_FALSE_ : IS_NULL_;
		default:
			return IS_TRUE_;
	}
}

/* a and NOT a; x IS NULL and x IS NOT NULL */
static bool
are_opposite(const DpExpr *one, const DpExpr *other)
{
	const DpExpr *of_one;
	const DpExpr *of_other;
	int truths = truths_of(one, &of_one);

	return (truths & truths_of(other, &of_other)) == 0 &&
		   are_same(of_one, of_other);
}

/*
 * Comparisons
 */

/* Those of btree families, and <>. */
#define DIFFERS (BTMaxStrategyNumber + 1)

typedef struct Comparison
{
	const DpExpr *operand;
	const DpExpr *value; /* a constant that is not null */
	Oid value_type;		 /* without the difference of varchar */
	Oid operand_type;	 /* as the operator takes it */
	Oid family;			 /* of btree operators */
	int strategy;
} Comparison;

/* The families' strategy of an operator; DIFFERS, or 0 for others. */
static int
strategy_of(Oid op, Oid family)
{
	int strategy = get_op_opfamily_strategy(op, family);
	Oid negator;

	if (strategy != 0)
		return strategy;
	negator = get_negator(op);
	return OidIsValid(negator) && get_op_opfamily_strategy(negator, family) ==
									  BTEqualStrategyNumber
			   ? DIFFERS
			   : 0;
}

static bool
is_float(Oid type)
{
	return type == FLOAT4OID || type == FLOAT8OID;
}

/* Whether the order of two types is one, whatever the time zone is. */
static bool
are_comparable(Oid type, Oid other)
{
	return type == other ||
		   (dp_arithmetic_is_integer(type) &&
			dp_arithmetic_is_integer(other)) ||
		   (is_float(type) && is_float(other));
}

/*
 * Whether operators of two types compare by an order of the server's own a constant
 * that is declared as one of them. Those of enums are declared of any enum.
 */
static bool
takes(Oid left, Oid right, Oid value, Oid declared)
{
	if (type_is_enum(value))
		return left == ANYENUMOID && right == ANYENUMOID;
	return dp_plain_type_is(value, DP_PLAIN_ORDERED) && value == declared &&
		   are_comparable(left, right);
}

/* Reads an operator between an operand and a constant. is_turned: after it. */
static bool
read_operator(Oid op, const DpExpr *operand, const DpExpr *value,
			  bool is_turned, Comparison *result)
{
	Oid left;
	Oid right;

	value = dp_expr_unlabelled(value);
	if (op >= FirstNormalObjectId || !OidIsValid(op) ||
		value->kind != DP_EXPR_CONSTANT || value->constant.isnull)
		return false;
	op_input_types(op, &left, &right);
	result->operand = operand;
	result->value = value;
	result->value_type =
		value->type.oid == VARCHAROID ? TEXTOID : value->type.oid;
	result->operand_type = is_turned ? right : left;
	if (!takes(left, right, result->value_type, is_turned ? left : right))
		return false;
	result->family =
		lookup_type_cache(left, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
	if (!OidIsValid(result->family))
		return false;
	result->strategy = strategy_of(op, result->family);
	if (is_turned && result->strategy != DIFFERS && result->strategy != 0)
		result->strategy = BTMaxStrategyNumber + 1 - result->strategy;
	return result->strategy != 0;
}

/* Whether a part compares something with a constant. */
static bool
read_comparison(Part part, Comparison *result)
{
	const DpExpr *expr = part.expr;

	if (part.element >= 0)
		return read_operator(
			expr->call.operator, expr->args[0],
			dp_expr_unlabelled(expr->args[1])->args[part.element], false,
			result);
	if (expr->kind != DP_EXPR_CALL || expr->nargs != 2)
		return false;
	return read_operator(expr->call.operator, expr->args[0], expr->args[1],
						 false, result) ||
		   read_operator(expr->call.operator, expr->args[1], expr->args[0],
						 true, result);
}

/* What is asked for of x by comparisons: less than, at most, and so on. */
static bool
is_from_above(int strategy)
{
	return strategy <= BTEqualStrategyNumber;
}

static bool
is_from_below(int strategy)
{
	return strategy >= BTEqualStrategyNumber && strategy != DIFFERS;
}

static bool
is_strict(int strategy)
{
	return strategy == BTLessStrategyNumber ||
		   strategy == BTGreaterStrategyNumber;
}

/*
 * The order of two constants of a type: that of the operators, of texts by bytes. Labels
 * of an enum are equal or not: *is_ordered tells.
 */
static int
compare(const Comparison *one, const Comparison *other, bool *is_ordered)
{
	TypeCacheEntry *type =
		lookup_type_cache(one->value_type, TYPECACHE_CMP_PROC_FINFO);

	*is_ordered = !type_is_enum(one->value_type);
	if (!*is_ordered)
		return DatumGetObjectId(one->value->constant.value) !=
			   DatumGetObjectId(other->value->constant.value);
	return DatumGetInt32(FunctionCall2Coll(
		&type->cmp_proc_finfo, C_COLLATION_OID, one->value->constant.value,
		other->value->constant.value));
}

/* Whether x has no value that is less than one constant and greater than another. */
static bool
do_not_meet(const Comparison *less, const Comparison *greater, int order)
{
	return is_from_above(less->strategy) && is_from_below(greater->strategy) &&
		   (order < 0 || (order == 0 && (is_strict(less->strategy) ||
										 is_strict(greater->strategy))));
}

static bool
compare_contrarily(Part part, Part other_part)
{
	Comparison one;
	Comparison other;
	bool is_ordered;
	int order;

	if (!read_comparison(part, &one) || !read_comparison(other_part, &other) ||
		one.value_type != other.value_type ||
		one.operand_type != other.operand_type || one.family != other.family ||
		!are_same(one.operand, other.operand))
		return false;
	order = compare(&one, &other, &is_ordered);
	if (one.strategy == DIFFERS || other.strategy == DIFFERS)
		return order == 0 && (one.strategy == BTEqualStrategyNumber ||
							  other.strategy == BTEqualStrategyNumber);
	if (!is_ordered)
		return order != 0 && one.strategy == BTEqualStrategyNumber &&
			   other.strategy == BTEqualStrategyNumber;
	return do_not_meet(&one, &other, order) ||
		   do_not_meet(&other, &one, -order);
}

/* x = 'a' and x IS NULL */
static bool
is_null_contrarily(const DpExpr *test, Part part)
{
	Comparison comparison;

	return test->kind == DP_EXPR_NULL_TEST && !test->is_negated &&
		   read_comparison(part, &comparison) &&
		   are_same(test->args[0], comparison.operand);
}

/* Whether an operator compares by the server's own order. */
static bool
is_of_own_order(Oid op)
{
	Oid left;
	Oid right;

	if (!OidIsValid(op) || op >= FirstNormalObjectId)
		return false;
	op_input_types(op, &left, &right);
	return dp_plain_type_is(left, DP_PLAIN_ORDERED) &&
		   dp_plain_type_is(right, DP_PLAIN_ORDERED) &&
		   are_comparable(left, right) &&
		   strategy_of(
			   op,
			   lookup_type_cache(left, TYPECACHE_BTREE_OPFAMILY)->btree_opf) !=
			   0;
}

/* x < y and x >= y */
static bool
are_negators(const DpExpr *one, const DpExpr *other)
{
	return one->kind == DP_EXPR_CALL && other->kind == DP_EXPR_CALL &&
		   one->nargs == 2 && other->nargs == 2 &&
		   is_of_own_order(one->call.operator) &&
		   other->call.operator== get_negator(one->call.operator) &&
		   is_steady(one) && is_steady(other) &&
		   one->input_collation == other->input_collation &&
		   dp_expr_equal(one->args[0], other->args[0]) &&
		   dp_expr_equal(one->args[1], other->args[1]);
}

/*
 * Parts
 */

/* The parts of AND or OR, or of a comparison with a list; 0: it is neither. */
static int
count_parts(Part part, DpExprKind junction, DpExprKind list_form)
{
	const DpExpr *expr = part.expr;
	const DpExpr *list;

	if (part.element >= 0)
		return 0;
	if (expr->kind == junction)
		return expr->nargs;
	if (expr->kind != list_form || expr->nargs != 2)
		return 0;
	list = dp_expr_unlabelled(expr->args[1]);
	return list->kind == DP_EXPR_ARRAY ? list->nargs : 0;
}

/* How many parts one of which is true where a part is; 0: it has none. */
static int
alternatives(Part part)
{
	return count_parts(part, DP_EXPR_OR, DP_EXPR_ANY);
}

/* How many parts all of which are true where a part is; 0: it has none. */
static int
requirements(Part part)
{
	return count_parts(part, DP_EXPR_AND, DP_EXPR_ALL);
}

/* One of either. */
static Part
part_of(Part part, int number)
{
	if (part.expr->kind == DP_EXPR_OR || part.expr->kind == DP_EXPR_AND)
		return (Part){part.expr->args[number], -1};
	return (Part){part.expr, number};
}

/* Whether all alternatives of a part are contrary to another. */
static bool
all_are_contrary(Part part, Part other, int *pairs)
{
	int count = alternatives(part);
	int i;

	for (i = 0; i < count; i++)
	{
		if (!are_contrary(part_of(part, i), other, pairs))
			return false;
	}
	return true;
}

/* Whether one of the requirements of a part is contrary to another part. */
static bool
one_is_contrary(Part part, Part other, int *pairs)
{
	int count = requirements(part);
	int i;

	for (i = 0; i < count; i++)
	{
		if (are_contrary(part_of(part, i), other, pairs))
			return true;
	}
	return false;
}

static bool
are_contrary(Part one, Part other, int *pairs)
{
	dp_stack_enter();
	if (--*pairs < 0)
		return false;
	if (one.element < 0 && other.element < 0 &&
		are_opposite(one.expr, other.expr))
		return true;
	if (alternatives(one) > 0)
		return all_are_contrary(one, other, pairs);
	if (alternatives(other) > 0)
		return all_are_contrary(other, one, pairs);
	if (requirements(one) > 0 || requirements(other) > 0)
		return one_is_contrary(one, other, pairs) ||
			   one_is_contrary(other, one, pairs);
	return compare_contrarily(one, other) ||
		   (one.element < 0 && is_null_contrarily(one.expr, other)) ||
		   (other.element < 0 && is_null_contrarily(other.expr, one)) ||
		   (one.element < 0 && other.element < 0 &&
			(are_negators(one.expr, other.expr) ||
			 are_negators(other.expr, one.expr)));
}

static Part
all_of(const List *arms)
{
	static const DpType boolean = {BOOLOID, -1, InvalidOid};

	return (Part){dp_expr_over(DP_EXPR_AND, boolean, arms, -1), -1};
}

bool
dp_contrary_are(const List *arms, const List *others, int *pairs)
{
	return arms != NIL && others != NIL &&
		   are_contrary(all_of(arms), all_of(others), pairs);
}
