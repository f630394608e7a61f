/*
 * exclusive.c
 *		Which aggregates of a question no row, and no unit, counts in both of.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "gate/facts/arithmetic.h"
#include "gate/facts/contrary.h"
#include "gate/facts/exclusive.h"
#include "gate/facts/facts.h"
#include "gate/facts/known.h"
#include "gate/relations/private_aggregates.h"
#include "gate/tree/functions.h"
#include "server/plain_type.h"
#include "server/stack.h"

/* What must be true of a row that counts in an aggregate. */
typedef struct Condition
{
	List *arms; /* of const DpExpr */
	bool by_zero;
} Condition;

/* The parts of an argument that are looked for conditions. */
typedef struct Search
{
	bool zero_counts; /* zero is no less than any other value */
	Condition *found;
} Search;

static bool
is_null(const DpExpr *expr)
{
	expr = dp_expr_unlabelled(expr);
	return expr->kind == DP_EXPR_CONSTANT && expr->constant.isnull;
}

static bool
is_zero(const DpExpr *expr)
{
	Datum number;

	expr = dp_expr_unlabelled(expr);
	return expr->kind == DP_EXPR_CONSTANT && !expr->constant.isnull &&
		   dp_plain_type_is(expr->type.oid, DP_PLAIN_NUMBER) &&
		   dp_arithmetic_number(expr->type.oid, expr->constant.value,
								&number) &&
		   DatumGetBool(DirectFunctionCall2(
			   numeric_eq, number,
			   DirectFunctionCall1(int4_numeric, Int32GetDatum(0))));
}

/* CASE x WHEN ...: x in the place of what stands for it. */
static const DpExpr *
put_subject(const DpExpr *expr, int depth, void *context)
{
	return expr->kind == DP_EXPR_CASE_SUBJECT && depth == 0
			   ? *(const DpExpr **) context
			   : NULL;
}

/* When a CASE of one WHEN has its value; NULL: that cannot be said. */
static const DpExpr *
when_of(const DpExpr *value)
{
	if (!value->has_subject)
		return value->nargs == 3 ? value->args[0] : NULL;
	/* What stands for x in a further CASE is another x. */
	if (value->nargs != 4 || dp_expr_has_kind(value->args[1], DP_EXPR_CASE))
		return NULL;
	return dp_expr_change(value->args[1], put_subject, &value->args[0]);
}

/* Whether a call is a cast of one number to another, which keeps zero. */
static bool
keeps_zero(const DpExpr *call)
{
	return (call->call.form == COERCE_EXPLICIT_CAST ||
			call->call.form == COERCE_IMPLICIT_CAST) &&
		   dp_arithmetic_is_number(call->type.oid) &&
		   dp_arithmetic_is_number(call->args[0]->type.oid);
}

/* Adds what must be true where a value is not null, and not zero. */
static void
add_presence(const DpExpr *value, Search search)
{
	const DpExpr *when;
	const DpExpr *otherwise;
	int i;

	dp_stack_enter();
	switch (value->kind)
	{
		case DP_EXPR_RELABEL:
			add_presence(value->args[0], search);
			return;
		case DP_EXPR_CALL:
			if (!dp_functions_is_total(value->call.function) ||
				!func_strict(value->call.function))
				return;
			search.zero_counts |= !keeps_zero(value);
			for (i = 0; i < value->nargs; i++)
				add_presence(value->args[i], search);
			return;
		case DP_EXPR_CASE:
			break;
		default:
			return;
	}
	when = when_of(value);
	otherwise = value->args[value->nargs - 1];
	if (when == NULL ||
		(!is_null(otherwise) && (search.zero_counts || !is_zero(otherwise))))
		return;
	search.found->by_zero |= !is_null(otherwise);
	search.found->arms = dp_expr_arms(when, search.found->arms);
	add_presence(value->args[value->nargs - 2], search);
}

static Condition
condition_of(const DpAsked *asked)
{
	Condition result = {dp_expr_arms(asked->filter, NIL), false};
	Search search = {.found = &result};

	search.zero_counts =
		dp_private_aggregates_traits(asked->aggref)->aggregate !=
		DP_AGGREGATE_SUM;
	if (asked->args != NIL)
		add_presence(linitial(asked->args), search);
	return result;
}

/*
 * What is known of the rows of a unit, of which there may be several: NULL where
 * nothing is to be proved by that.
 */
static const uint8 *
known_of_unit(const DpNode *rows)
{
	const DpOwner *owner = &rows->facts->owner;
	DpLookUps left_out = {.are_left_out = true};
	uint8 *known;

	if (list_length(owner->populations) != 1 ||
		list_length(owner->hosts) != 1 || owner->exchanges || owner->is_loose)
		return NULL;
	known = dp_known_nothing(rows);
	(void) dp_known_spread(rows, known, &left_out);
	return known;
}

/* Those that have one value in all rows of a unit. */
static List *
arms_of_unit(List *arms, const uint8 *known)
{
	List *result = NIL;

	foreach_ptr (DpExpr, arm, arms)
	{
		if (dp_known_is_exact(arm, known))
			result = lappend(result, arm);
	}
	return result;
}

DpExclusive
dp_exclusive_of(const DpQuestion *question)
{
	DpExclusive result = {NIL, NIL};
	int count = list_length(question->aggregates);
	Condition *conditions = palloc(count * sizeof(Condition));
	int pairs = DP_EXCLUSIVE_PAIRS_MAX;
	const uint8 *known =
		question->several ? known_of_unit(question->node.inputs[0]) : NULL;
	bool any = false;
	int i;
	int j;

	if ((question->several && known == NULL) || count > DP_EXCLUSIVE_MAX)
		return result;
	for (i = 0; i < count; i++)
	{
		List *others = NIL;

		conditions[i] = condition_of(list_nth(question->aggregates, i));
		if (question->several)
			conditions[i].arms = arms_of_unit(conditions[i].arms, known);
		CHECK_FOR_INTERRUPTS();
		for (j = 0; j < i; j++)
		{
			if (dp_contrary_are(conditions[i].arms, conditions[j].arms, &pairs))
				others = lappend_int(others, j);
		}
		any |= others != NIL;
		result.others = lappend(result.others, others);
		result.by_zero = lappend_int(result.by_zero, conditions[i].by_zero);
	}
	return any ? result : (DpExclusive){NIL, NIL};
}
