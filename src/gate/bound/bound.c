/*
 * bound.c
 *		The statements beneath the releases of a question.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_oper.h"
#include "rewrite/rewriteManip.h"

#include "gate/bound/bound.h"
#include "gate/bound/choices.h"
#include "gate/bound/from.h"
#include "gate/bound/key_condition.h"
#include "gate/bound/levels.h"
#include "gate/bound/outlined.h"
#include "gate/bound/sizes.h"
#include "gate/bound/units.h"
#include "gate/bound/written.h"
#include "gate/facts/domain.h"
#include "gate/relations/populations.h"
#include "gate/relations/publics.h"
#include "gate/tree/aggregates.h"
#include "mechanisms/gaussian_threshold.h"
#include "server/queries.h"
#include "server/settings.h"

/* A grouping of a question while its statements are written. */
typedef struct Grouping
{
	const DpQuestion *question;
	const DpGrouping *asked;
	DpWritten *written;
	List *
		numbers; /* of its keys, then of those by which units are bounded, too */
	List *keys;	 /* beside: DpKey */
	List *values; /* beside: as statements have them */
	int shown;	  /* how many there are of its own */
	DpBlock *block;
} Grouping;

/* Groups are made by hashing alone: sorting an enum can fail. */
static SortGroupClause *
clause_of(Node *value)
{
	SortGroupClause *clause = makeNode(SortGroupClause);

	get_sort_group_operators(exprType(value), false, false, false, NULL,
							 &clause->eqop, NULL, &clause->hashable);
	return clause;
}

/*
 * Keys
 */

static void
read_keys(Grouping *grouping)
{
	const DpQuestion *question = grouping->question;
	bool with_others = question->are_of_one && question->several;
	List *others = NIL;
	ListCell *cell;

	foreach (cell, question->keys)
	{
		int number = foreach_current_index(cell);

		if (bms_is_member(number, grouping->asked->keys))
			grouping->numbers = lappend_int(grouping->numbers, number);
		else if (with_others)
			others = lappend_int(others, number);
	}
	grouping->shown = list_length(grouping->numbers);
	grouping->numbers = list_concat(grouping->numbers, others);
	foreach (cell, grouping->numbers)
	{
		int number = lfirst_int(cell);

		grouping->keys =
			lappend(grouping->keys,
					dp_outlined_key(question, number, grouping->written));
		grouping->values =
			lappend(grouping->values,
					dp_aggregates_byte_order(dp_written_expr(
						grouping->written, list_nth(question->keys, number))));
	}
}

/*
 * Rows with other values than a key's public ones are left out of all groupings
 * that are tables of the same rows, also of those without that key.
 */
static void
keep_to_domains(Grouping *grouping)
{
	const DpQuestion *question = grouping->question;

	if (!question->are_of_one)
		return;
	foreach_ptr (const DpDomain, domain, question->domains)
	{
		int number = foreach_current_index(domain);
		uint64 values;
		Node *value;
		Node *condition;

		if (!domain->is_open || bms_is_member(number, grouping->asked->keys))
			continue;
		value = dp_aggregates_byte_order(dp_written_expr(
			grouping->written, list_nth(question->keys, number)));
		condition = dp_key_condition(
			dp_outlined_key(question, number, grouping->written), value,
			clause_of(value), &values);
		if (condition == NULL) /* kept by the column, below */
			continue;
		grouping->written->query->hasSubLinks |= checkExprHasSubLink(condition);
		grouping->written->quals = lappend(grouping->written->quals, condition);
	}
	foreach_ptr (const DpKept, kept, question->kept)
	{
		Node *column = dp_aggregates_byte_order(
			dp_written_expr(grouping->written, kept->column));

		grouping->written->quals =
			lappend(grouping->written->quals,
					dp_key_condition_kept(kept, column, clause_of(column)));
	}
	dp_written_finish(grouping->written);
}

/*
 * Statements
 */

/* FROM and WHERE, some of the keys, and aggregates. */
static Query *
make_statement(const Grouping *grouping, List *values, List *aggregates)
{
	Query *query = copyObject(grouping->written->query);
	int number = 0;
	ListCell *cell;

	foreach (cell, values)
	{
		TargetEntry *entry = dp_query_add_target(
			query, copyObject(lfirst(cell)), psprintf("k%d", ++number));
		SortGroupClause *clause = clause_of((Node *) entry->expr);

		entry->ressortgroupref = clause->tleSortGroupRef = (Index) number;
		query->groupClause = lappend(query->groupClause, clause);
	}
	number = 0;
	foreach (cell, aggregates)
		(void) dp_query_add_target(query, copyObject(lfirst(cell)),
								   psprintf("a%d", ++number));
	query->hasAggs = aggregates != NIL;
	return query;
}

static Query *
bound_units(const Grouping *grouping, Query *query, List *keys, int shown)
{
	const DpOutline *outline = &grouping->block->outline;

	return dp_units_bound(query, &outline->relations, keys, shown,
						  outline->contribution, outline->choices);
}

/* Aggregates of a group without rows. */
static Query *
make_empty(const Grouping *grouping, List *calls)
{
	Query *empty = make_statement(grouping, NIL, calls);

	empty->jointree->quals = makeBoolConst(false, false);
	return bound_units(grouping, empty, NIL, 0);
}

/*
 * A last column of a statement in which units are bounded: the true number of units
 * of each group.
 */
static void
count_units(Query *inner)
{
	(void) dp_query_add_target(inner, (Node *) dp_query_count_rows(), "u1");
	inner->hasAggs = true;
}

/* Numbers of units by the private keys alone. */
static Query *
make_unit_counts(const Grouping *grouping)
{
	List *keys = NIL;
	List *values = NIL;
	Query *counts;

	foreach_ptr (DpKey, key, grouping->block->outline.keys)
	{
		if (key->is_public)
			continue;
		keys = lappend(keys, key);
		values = lappend(
			values, list_nth(grouping->values, foreach_current_index(key)));
	}
	counts = bound_units(grouping, make_statement(grouping, values, NIL), keys,
						 list_length(keys));
	count_units(counts);
	return counts;
}

/* Bounds that are chosen, over all rows. */
static Query *
make_choice(const Grouping *grouping)
{
	const DpOutline *outline = &grouping->block->outline;
	DpOpenChoices choices = {.by_rho = outline->choices.by_rho,
							 .parameter = outline->bounds_parameter};

	return dp_units_bound(
		make_statement(grouping, NIL, outline->bounds), &outline->relations,
		NIL, 0, dp_choices_contribution(outline->contribution), choices);
}

/* Whether a cap is chosen for some aggregate. */
static bool
chooses_cap(const DpOutline *outline)
{
	return list_member_int(outline->chooses_cap, 1);
}

static void
make_statements(const Grouping *grouping)
{
	DpBlock *block = grouping->block;
	const DpOutline *outline = &block->outline;
	List *calls = dp_levels_calls(outline->aggregates, outline->levels);
	int private_keys = list_length(dp_key_those(outline->keys, false));

	block->inner =
		bound_units(grouping, make_statement(grouping, grouping->values, calls),
					grouping->keys, grouping->shown);
	if (outline->bounds != NIL)
		block->choice = make_choice(grouping);
	if (chooses_cap(outline))
		block->sizes =
			dp_sizes_count(make_statement(grouping, grouping->values, NIL),
						   &outline->relations, outline->contribution.rows);
	if (outline->keys == NIL || outline->aggregates == NIL)
		return;
	block->empty = make_empty(grouping, calls);
	if (private_keys == list_length(outline->keys))
		count_units(block->inner);
	else if (private_keys > 0)
		block->unit_counts = make_unit_counts(grouping);
}

/*
 * The whole
 */

static void
list_publics(DpOutline *outline)
{
	foreach_ptr (DpPublic, public, outline->relations.publics)
	{
		outline->lookups = lappend(outline->lookups, public->rows);
		outline->lookup_keys = lappend(outline->lookup_keys, public->key);
	}
}

/* Beside an outline's aggregates: 1 for one whose bounds are chosen. */
static List *
chooses_of(const DpQuestion *question, const DpOutline *outline)
{
	List *result = NIL;

	if (outline->aggregates == NIL)
		return NIL;
	foreach_ptr (const DpAsked, asked, question->aggregates)
		result = lappend_int(result, asked->chooses_bounds);
	return result;
}

/* Of which aggregates a cap is chosen. */
static void
find_caps(const DpQuestion *question, DpOutline *outline)
{
	if (outline->aggregates == NIL)
		return;
	foreach_ptr (const DpAsked, asked, question->aggregates)
	{
		outline->chooses_cap =
			lappend_int(outline->chooses_cap, asked->cap_share > 0);
		outline->cap_share = Max(outline->cap_share, asked->cap_share);
	}
}

/*
 * Whether a count among the aggregates may select the groups by other noise than it
 * asks for (gate/release/deciding_count.h): as far as that can be told now. Only where
 * units may have several rows they may be in several groups.
 */
static bool
may_decide(const DpOutline *outline)
{
	return outline->keys != NIL && outline->aggregates != NIL &&
		   dp_key_those(outline->keys, true) == NIL && outline->levels == NIL &&
		   !outline->choices.by_rho && outline->relations.several &&
		   dp_gaussian_threshold_may_be_lower(outline->contribution);
}

/* Numbers of parameters that the release sets, one for each aggregate. */
static int
reserve_parameters(DpPlanning *planning, const DpOutline *outline)
{
	int first = planning->next_parameter;

	planning->next_parameter += list_length(outline->aggregates);
	return first;
}

/* What is asked; the statements follow. */
static void
fill_outline(DpPlanning *planning, Grouping *grouping, int family,
			 List **copied)
{
	const DpQuestion *question = grouping->question;
	DpOutline *outline = &grouping->block->outline;

	outline->keys = list_truncate(list_copy(grouping->keys), grouping->shown);
	outline->key_numbers =
		list_truncate(list_copy(grouping->numbers), grouping->shown);
	outline->tuples = dp_outlined_tuples(grouping->asked, outline->key_numbers);
	outline->other_key_numbers =
		list_copy_tail(grouping->numbers, grouping->shown);
	if (!grouping->asked->is_keys_alone)
		dp_outlined_aggregates(question, grouping->written, outline);
	dp_outlined_relations(question, grouping->asked, grouping->written, *copied,
						  &outline->relations);
	outline->equated = dp_outlined_equated(question);
	outline->ends = copyObject(question->ends);
	outline->levels = question->levels;
	outline->contribution = grouping->asked->contribution;
	outline->people = question->people;
	outline->family = family;
	outline->are_of_one = question->are_of_one;
	outline->choices.by_rho = outline->levels == NIL &&
							  dp_populations_pay_by_rho(&outline->relations);
	outline->choices.epsilon =
		dp_populations_default_epsilon(&outline->relations);
	dp_choices_find(planning, chooses_of(question, outline), outline);
	outline->share = dp_setting_choose_bounds;
	find_caps(question, outline);
	if (outline->levels == NIL &&
		(family > 0 || outline->bounds != NIL || chooses_cap(outline)))
		outline->choices.parameter = reserve_parameters(planning, outline);
	if (chooses_cap(outline))
		outline->choices.cap = reserve_parameters(planning, outline);
	if (may_decide(outline))
		outline->choices.mechanism = reserve_parameters(planning, outline);
	outline->is_of_role = dp_outlined_is_of_role(*copied, outline);
	list_publics(outline);
	outline->probes = dp_outlined_probes(question);
	outline->constants = copyObject(planning->constants);
	outline->constant_numbers = list_copy(planning->constant_numbers);
	outline->row_constants = list_length(outline->constants);
}

static DpBlock *
bound_grouping(DpPlanning *planning, const DpQuestion *question,
			   const DpGrouping *asked, int family)
{
	Grouping grouping = {.question = question, .asked = asked};
	DpBlock *block = palloc0(sizeof(DpBlock));
	List **copied = palloc0(sizeof(List *)); /* more are added later */

	grouping.block = block;
	grouping.written = dp_from_write(question->node.inputs[0], copied);
	read_keys(&grouping);
	keep_to_domains(&grouping);
	fill_outline(planning, &grouping, family, copied);
	block->shapes = *planning->shapes;
	make_statements(&grouping);
	return block;
}

List *
dp_bound_question(DpPlanning *planning, const DpQuestion *question)
{
	List *blocks = NIL;
	int family =
		list_length(question->groupings) > 1 ? planning->next_parameter++ : 0;

	foreach_ptr (const DpGrouping, grouping, question->groupings)
		blocks = lappend(blocks,
						 bound_grouping(planning, question, grouping, family));
	return blocks;
}
