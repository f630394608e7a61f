/*
 * finer.c
 *		Questions of more groups, whose answers contain that of a question.
 */
#include "postgres.h"

#include "nodes/value.h"

#include "gate/facts/arithmetic.h"
#include "gate/facts/domain.h"
#include "gate/facts/facts.h"
#include "gate/facts/finer.h"
#include "gate/facts/fingerprint.h"
#include "gate/facts/stated.h"

/* Conditions of which every selection is tried; more of them are kept. */
#define MOST_CONDITIONS 3

/* A condition that names values. */
typedef struct Naming
{
	int place; /* among the conditions */
	const DpExpr *expr;
	List *values; /* server nodes */
} Naming;

/* What a condition compares with constants, if with anything; or NULL. */
static const DpExpr *
compared_in(const DpExpr *condition)
{
	const DpExpr *truth = dp_expr_unlabelled(
		condition->kind == DP_EXPR_NOT ? condition->args[0] : condition);

	if (truth->kind == DP_EXPR_COLUMN)
		return truth;
	while (condition->kind == DP_EXPR_OR)
		condition = condition->args[0];
	if ((condition->kind != DP_EXPR_CALL && condition->kind != DP_EXPR_ANY) ||
		condition->nargs != 2)
		return NULL;
	return dp_expr_unlabelled(
		condition->args[dp_expr_columns(condition->args[0]) == NULL ? 1 : 0]);
}

/* The conditions that may be taken away, each of another expression. */
static List *
find_namings(const DpJoin *rows)
{
	List *namings = NIL;
	ListCell *other;

	foreach_ptr (const DpExpr, one, rows->conditions)
	{
		const DpExpr *expr = compared_in(one);
		bool is_other = expr != NULL && dp_expr_columns(expr) != NULL &&
						dp_order_has_one_form(expr);
		List *values = NIL;
		Naming *naming;

		foreach (other, namings)
			is_other = is_other &&
					   !dp_expr_equal(((Naming *) lfirst(other))->expr, expr);
		if (!is_other || list_length(namings) == MOST_CONDITIONS ||
			!dp_stated_names(one, expr, &values))
			continue;
		naming = palloc(sizeof(Naming));
		naming->place = foreach_current_index(one);
		naming->expr = expr;
		naming->values = dp_arithmetic_images(values, NULL);
		namings = lappend(namings, naming);
	}
	return namings;
}

/* The rows without some of the conditions. */
static const DpNode *
without(const DpJoin *rows, const List *namings, uint32 chosen)
{
	DpJoin *result = palloc(sizeof(DpJoin));

	*result = *rows;
	result->conditions = list_copy(rows->conditions);
	foreach_ptr (const Naming, naming, namings)
	{
		if ((chosen >> foreach_current_index(naming) & 1) != 0)
			result->conditions = list_delete_ptr(
				result->conditions, list_nth(rows->conditions, naming->place));
	}
	result->node.facts = NULL;
	return result->node.add_facts(&result->node);
}

/*
 * The number of a key, which is added if it is none yet: as one that is public, or is
 * found in the rows. One of the question's own has other values than those that the
 * condition left; were these narrowed in yet another way, too, no stored answer has
 * this form.
 */
static int
find_key(DpQuestion *question, const DpExpr *expr, bool is_public)
{
	DpDomain *added = palloc0(sizeof(DpDomain));

	foreach_ptr (const DpExpr, one, question->keys)
	{
		int number = foreach_current_index(one);
		DpDomain *domain;

		if (!dp_expr_equal(dp_expr_unlabelled(one), expr) ||
			!dp_order_has_one_form(one))
			continue;
		domain = palloc(sizeof(DpDomain));
		*domain = *(const DpDomain *) list_nth(question->domains, number);
		domain->is_narrowed = false;
		question->domains = list_copy(question->domains);
		lfirst(list_nth_cell(question->domains, number)) = domain;
		return number;
	}
	question->keys = lappend(list_copy(question->keys), (void *) expr);
	added->is_public = is_public;
	question->domains = lappend(list_copy(question->domains), added);
	return list_length(question->keys) - 1;
}

/*
 * Adds the finer question without the chosen conditions, of each aggregate to its
 * list. is_public: of the keys that are added.
 */
static void
add_finer(const DpQuestion *question, const List *namings, uint32 chosen,
		  bool is_public, List *lists)
{
	const DpNode *rows =
		without((const DpJoin *) question->node.inputs[0], namings, chosen);
	DpQuestion finer = *question;
	List *looked_up = NIL;
	List *by = NIL;
	List *conditions = NIL;
	ListCell *cell;

	if (!dp_keys_units_are_rows(rows, &looked_up, &by))
		return;
	finer.node.inputs = &rows;
	foreach_ptr (const Naming, naming, namings)
	{
		if ((chosen >> foreach_current_index(naming) & 1) != 0)
			conditions = lappend(
				conditions, list_make2(makeInteger(find_key(
										   &finer, naming->expr, is_public)),
									   naming->values));
	}
	if (!is_public && list_length(finer.keys) == list_length(question->keys))
		return; /* it is the same as with public ones */
	foreach (cell, lists)
		lfirst(cell) = lappend(
			lfirst(cell),
			list_make3(
				dp_fingerprint_form(&finer, foreach_current_index(cell), false),
				makeInteger(list_length(finer.keys)), conditions));
}

List *
dp_finer_of(const DpQuestion *question)
{
	const DpNode *rows = question->node.inputs[0];
	List *lists = NIL;
	List *namings;
	uint32 chosen;
	int i;

	if (rows->kind != DP_NODE_JOIN || question->several ||
		question->people > 1 || list_length(question->groupings) != 1 ||
		question->levels != NIL || question->are_of_one ||
		bms_num_members(
			((const DpGrouping *) linitial(question->groupings))->keys) !=
			list_length(question->keys))
		return NIL;
	namings = find_namings((const DpJoin *) rows);
	for (i = 0; i < list_length(question->aggregates); i++)
		lists = lappend(lists, NIL);
	for (chosen = 1; chosen < (uint32) 1 << list_length(namings); chosen++)
	{
		add_finer(question, namings, chosen, true, lists);
		add_finer(question, namings, chosen, false, lists);
	}
	return lists != NIL && linitial(lists) != NIL ? lists : NIL;
}

List *
dp_finer_form(const List *finer)
{
	return linitial(finer);
}

Bitmapset *
dp_finer_keys(const List *finer)
{
	return bms_add_range(NULL, 0, intVal(lsecond(finer)) - 1);
}

List *
dp_finer_conditions(const List *finer)
{
	return lthird(finer);
}
