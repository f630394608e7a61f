/*
 * question.c
 *		Reads a block with private aggregates as a question.
 *
 * First its rows, up to whose they are; then what a unit contributes to them;
 * then the keys, and the aggregates. Each is complete before the next is read.
 */
#include "postgres.h"

#include "access/transam.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_oper.h"
#include "utils/builtins.h"

#include "gate/facts/domain.h"
#include "gate/facts/facts.h"
#include "gate/facts/together.h"
#include "gate/read/asked_bounds.h"
#include "gate/read/asked_caps.h"
#include "gate/read/contribution.h"
#include "gate/read/depending.h"
#include "gate/read/expression.h"
#include "gate/read/group_limit.h"
#include "gate/read/long_values.h"
#include "gate/read/matched.h"
#include "gate/read/question.h"
#include "gate/read/readers.h"
#include "gate/read/released.h"
#include "gate/read/rewrite_aggregate.h"
#include "gate/read/read_from.h"
#include "gate/read/scans.h"
#include "gate/read/small_groups.h"
#include "gate/relations/locations.h"
#include "gate/relations/private_aggregates.h"
#include "gate/relations/refusal.h"
#include "gate/tree/functions.h"
#include "server/compat.h"

static void
check_shape(const Query *query)
{
	if (query->commandType != CMD_SELECT || query->setOperations != NULL)
		dp_refusal_raise("this statement", "Write a plain SELECT.",
						 dp_locations_of_query(query));
	if (query->rowMarks != NIL)
		dp_refusal_raise("FOR UPDATE or FOR SHARE", "Leave it out.",
						 dp_locations_of_query(query));
	dp_released_check_groupings(query);
}

/* The rows of FROM, with the values of their units. */
static const DpNode *
read_rows(DpScope *scope, int location)
{
	const DpNode *rows = dp_read_from(scope);

	if (!rows->facts->owner.is_owned)
		dp_refusal_raise("an aggregate over rows without a privacy unit",
						 "Read a protected relation in its FROM.", location);
	rows = dp_scans_follow(scope->planning, rows);
	scope->row = rows;
	return rows;
}

/*
 * Keys
 */

/* Refuses types whose equality, by which groups are made, is not total. */
static void
check_type(DpType type, int location)
{
	Oid equality = InvalidOid;
	bool is_hashable = false;

	get_sort_group_operators(type.oid, false, false, false, NULL, &equality,
							 NULL, &is_hashable);
	if (!OidIsValid(equality) || !is_hashable ||
		equality >= FirstNormalObjectId ||
		!dp_functions_is_total(get_opcode(equality)))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("values of type %s cannot be the groups of a query "
						"over a protected relation",
						format_type_be(type.oid)),
				 errhint("Group by numbers, texts, booleans, enums, dates, "
						 "times or uuids."),
				 dp_refusal_position(location)));
	if (type_is_collatable(type.oid) && !OidIsValid(type.collation))
		ereport(ERROR, (errcode(ERRCODE_INDETERMINATE_COLLATION),
						errmsg("the collation of a group key is not clear"),
						errhint("Write COLLATE \"C\" after it."),
						dp_refusal_position(location)));
	if (OidIsValid(type.collation) &&
		!get_collation_isdeterministic(type.collation))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a nondeterministic collation cannot be used in GROUP "
						"BY over a protected relation"),
				 errhint("Write COLLATE \"C\" after the column."),
				 dp_refusal_position(location)));
}

/*
 * Whether a key has one value for all rows, so that it makes no groups. Among
 * several groupings it is null in those that lack it.
 */
static bool
is_constant(const DpScope *scope, const DpExpr *key, bool are_several)
{
	if (key->kind == DP_EXPR_PARAMETER &&
		list_member_int(scope->planning->constant_numbers, key->parameter))
		dp_refusal_raise("a sub-query that is a group key by itself",
						 "Leave it out: it has one value for all rows.",
						 key->location);
	return !are_several &&
		   (key->kind == DP_EXPR_CONSTANT || key->kind == DP_EXPR_PARAMETER);
}

/*
 * Reads what is grouped by: returns the keys, which are different, and sets what
 * each that was written has become.
 */
static List *
read_keys(DpScope *scope, const DpWrittenGroupings *written,
		  DpReleasedColumns *released)
{
	List *keys = NIL;
	ListCell *cell;

	scope->what = "GROUP BY";
	foreach (cell, written->keys)
	{
		const DpExpr *key = dp_expression_read(scope, copyObject(lfirst(cell)));
		int number = dp_expr_number(keys, key);

		if (number < 0 && !is_constant(scope, key, written->are_several))
		{
			check_type(key->type, exprLocation(lfirst(cell)));
			number = list_length(keys);
			keys = lappend(keys, (void *) key);
		}
		released->numbers = lappend_int(released->numbers, number);
		released->read = lappend(released->read, (void *) key);
	}
	return keys;
}

/* Those of a list that a set numbers. */
static List *
chosen(List *list, const Bitmapset *set)
{
	List *result = NIL;
	ListCell *cell;

	foreach (cell, list)
	{
		if (bms_is_member(foreach_current_index(cell), set))
			result = lappend(result, lfirst(cell));
	}
	return result;
}

static bool
are_public(List *domains)
{
	foreach_ptr (const DpDomain, domain, domains)
	{
		if (!domain->is_public)
			return false;
	}
	return true;
}

/*
 * Groupings
 */

/* Groups of private keys are selected by noise of their own for each role. */
static void
refuse_levels(const DpQuestion *question, List *relations)
{
	foreach_ptr (const DpExpr, expr, question->keys)
	{
		const DpDomain *domain =
			list_nth(question->domains, foreach_current_index(expr));
		const DpReadRelation *read = linitial(relations);

		if (question->levels == NIL || question->aggregates == NIL ||
			domain->is_public)
			continue;
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("GROUP BY of values that are not public cannot be used "
						"over \"%s\", which has privacy levels",
						get_rel_name(read->relation)),
				 question->people > 1
					 ? errhint("Ask without GROUP BY: only groups of at least "
							   "%u people may be shown.",
							   question->people)
					 : errhint("Ask the owner to declare the values with "
							   "dp_noise.set_values()."),
				 dp_refusal_position(expr->location)));
	}
}

static Bitmapset *
all_keys(const DpQuestion *question)
{
	return question->keys == NIL
			   ? NULL
			   : bms_add_range(NULL, 0, list_length(question->keys) - 1);
}

/* Whether all aggregates add up: a group's from those of parts of it. */
static bool
add_up(List *aggregates)
{
	foreach_ptr (const DpAsked, asked, aggregates)
	{
		if (!dp_private_aggregates_traits(asked->aggref)->adds_up)
			return false;
	}
	return true;
}

static bool
find_varying(const DpNode *node, int depth, void *context)
{
	(void) depth;
	(void) context;
	return node->kind == DP_NODE_PUBLIC &&
		   !((const DpPublicRows *) node)->is_stable;
}

/*
 * Whether the rows that count in one grouping can be told beforehand: those whose
 * keys have their public values, if declared ones bind nobody.
 */
static bool
can_be_kept(const DpQuestion *question)
{
	foreach_ptr (const DpDomain, domain, question->domains)
	{
		if (domain->is_open && dp_domain_values(domain) == 0)
			return false;
	}
	return true;
}

/*
 * Finds whether the groupings are tables of the same rows, by public keys, so that
 * they are answered together. Where units have several rows these are bounded in all
 * of them as in the finest one, by the keys of all. Rows with other tuples of keys are
 * left out of all of them, also of those that have only some of these keys.
 */
static void
find_whether_of_one(DpQuestion *question, const DpNode *rows)
{
	question->are_of_one =
		list_length(question->groupings) > 1 && question->levels == NIL &&
		!dp_node_visit(rows, find_varying, NULL, NULL) &&
		are_public(question->domains) && can_be_kept(question) &&
		(!question->several || add_up(question->aggregates)) &&
		dp_together_kept(rows, question->keys, question->domains,
						 &question->kept);
	if (!question->are_of_one)
		question->kept = NIL;
}

/* What a unit contributes to each grouping. */
static void
fill_groupings(DpQuestion *question, const DpNode *rows, List *relations)
{
	foreach_ptr (DpGrouping, grouping, question->groupings)
	{
		const DpAsked *first =
			question->aggregates == NIL ? NULL : linitial(question->aggregates);
		const Bitmapset *bounding = grouping->keys;
		List *together = dp_together_of(rows, question->keys, question->domains,
										grouping->keys);
		List *keys;

		grouping->together = together;
		grouping->is_keys_alone =
			list_length(question->aggregates) == 1 &&
			!bms_is_empty(grouping->keys) &&
			dp_rewrite_aggregate_is_of_keys(first->aggref) &&
			are_public(chosen(question->domains, grouping->keys));
		if (question->are_of_one && question->several)
		{
			bounding = all_keys(question);
			together = dp_together_of(rows, question->keys, question->domains,
									  bounding);
		}
		keys = chosen(question->keys, bounding);
		grouping->one_row = dp_keys_one_row(rows, keys);
		grouping->one_group = dp_keys_one_group(rows, keys);
		grouping->contribution = dp_contribution_of(
			question, relations, grouping, bounding, together);
	}
}

/* The groupings by numbers of the question's keys. */
static List *
make_groupings(const DpWrittenGroupings *written, List *numbers)
{
	List *groupings = NIL;
	ListCell *cell;

	foreach (cell, written->sets)
	{
		DpGrouping *grouping = palloc0(sizeof(DpGrouping));
		int key = -1;

		while ((key = bms_next_member(lfirst(cell), key)) >= 0 &&
			   key < list_length(numbers))
		{
			if (list_nth_int(numbers, key) >= 0)
				grouping->keys =
					bms_add_member(grouping->keys, list_nth_int(numbers, key));
		}
		groupings = lappend(groupings, grouping);
	}
	return groupings;
}

/*
 * Where nothing but public keys is asked for, their values are the answer:
 * nothing is counted. Otherwise the groups are counted, which selects those of
 * private keys.
 */
static void
leave_keys_alone(Query *block, DpReleasedColumns *released, List *domains)
{
	const DpAsked *first =
		released->aggregates == NIL ? NULL : linitial(released->aggregates);

	if (released->written->are_several || domains == NIL ||
		!are_public(domains) || list_length(released->aggregates) != 1 ||
		!dp_rewrite_aggregate_is_of_keys(first->aggref))
		return;
	released->aggregates = NIL;
	block->targetList =
		list_truncate(block->targetList, list_length(block->targetList) - 1);
}

/*
 * Public values are the same whoever has them, so as a set they would be taken for
 * what they are not.
 */
pg_noreturn static void
refuse_domain(int location)
{
	dp_refusal_raise(
		"IN or EXISTS of the distinct values of a public key",
		"All its public values would be in the set, whether rows "
		"have them or not. Count them: IN (SELECT x FROM ... GROUP "
		"BY x HAVING count(*) > 10).",
		location);
}

const DpQuestion *
dp_question_read(DpPlanning *planning, Query *block)
{
	int location = dp_locations_of_query(block);
	DpScope scope = {
		.readers = &dp_readers, .planning = planning, .query = block};
	DpWrittenGroupings written;
	DpAskedRows asked = {.scope = &scope};
	DpReleasedColumns released = {.written = &written, .rows = &asked};
	DpQuestion *question;
	List *relations;
	List *keys;
	List *domains;
	List *groupings;

	check_shape(block);
	asked.rows = read_rows(&scope, location);
	dp_depending_group(block);
	written = dp_released_groupings(block);
	asked.several = dp_contribution_has_several(asked.rows);
	dp_contribution_check(asked.rows, dp_contribution_relations(asked.rows),
						  asked.rows->facts->owner.exchanges, asked.several,
						  location);
	asked.known = dp_range_of_counted(asked.rows);
	keys = read_keys(&scope, &written, &released);
	groupings = make_groupings(&written, released.numbers);
	domains = dp_group_limit_domains(asked.rows, keys, groupings);
	dp_small_groups_refuse_units(asked.rows, keys, domains, groupings);
	released.keys = keys;
	released.ends = dp_ends_make();
	dp_released_replace(block, &released);
	leave_keys_alone(block, &released, domains);
	dp_matched_check(asked.rows, released.aggregates);
	if (planning->is_compared && released.aggregates == NIL)
		refuse_domain(location);
	question = dp_node_question(asked.rows, keys, groupings,
								released.aggregates, NIL, location);
	question->domains = domains;
	question->ends = released.ends;
	question->several = asked.several;
	(void) dp_facts_add(&question->node);

	/* sub-queries in keys and aggregates read relations, too */
	relations = dp_contribution_relations(&question->node);
	dp_contribution_check(asked.rows, relations,
						  question->node.facts->owner.exchanges, asked.several,
						  location);
	dp_small_groups_keep_back(question, relations);
	question->levels = dp_contribution_levels(relations);
	find_whether_of_one(question, asked.rows);
	refuse_levels(question, relations);
	dp_asked_bounds_refuse_at_levels(question);
	fill_groupings(question, asked.rows, relations);
	dp_asked_caps_choose(question);
	if (question->several)
		dp_contribution_check_unit(asked.rows);
	dp_long_values_check(question);
	return question;
}
