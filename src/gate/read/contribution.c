/*
 * contribution.c
 *		How much one privacy unit contributes to a question.
 */
#include "postgres.h"

#include "access/transam.h"
#include "parser/parse_oper.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "gate/facts/domain.h"
#include "gate/facts/facts.h"
#include "gate/facts/together.h"
#include "gate/read/contribution.h"
#include "gate/relations/declared.h"
#include "gate/relations/protection.h"
#include "gate/relations/refusal.h"
#include "gate/relations/row_copies.h"
#include "server/settings.h"

/* Views and relations while they are found. */
typedef struct Found
{
	List *views; /* of DpReadRelation */
	List *relations;
} Found;

static void
add(List **list, Oid relation, bool is_view, bool is_named, int location)
{
	DpReadRelation *read = NULL;
	ListCell *cell;

	foreach (cell, *list)
	{
		if (((DpReadRelation *) lfirst(cell))->relation == relation)
			read = lfirst(cell);
	}
	if (read == NULL)
	{
		read = palloc0(sizeof(DpReadRelation));
		read->relation = relation;
		read->is_view = is_view;
		read->location = -1;
		*list = lappend(*list, read);
	}
	read->is_named |= is_named;
	if (is_named && read->location < 0)
		read->location = location;
}

/*
 * A relation that is read in a view alone has the depth of that; a view has the
 * least depth of what it reads, less one.
 */
static int
depth_of(const DpNode *node)
{
	while (node->kind != DP_NODE_SCAN)
		node = node->inputs[0];
	return ((const DpScan *) node)->view_depth;
}

static bool
find_relation(const DpNode *node, int depth, void *context)
{
	Found *found = context;

	(void) depth;
	if (node->kind == DP_NODE_SCAN)
	{
		const DpScan *scan = (const DpScan *) node;

		add(&found->relations, scan->relation, false, scan->view_depth == 0,
			scan->is_followed ? -1 : node->location);
	}
	if (node->kind == DP_NODE_VIEW)
		add(&found->views, ((const DpView *) node)->relation, true,
			depth_of(node->inputs[0]) == 1, node->location);
	return false;
}

List *
dp_contribution_relations(const DpNode *rows)
{
	Found found = {NIL, NIL};

	(void) dp_node_visit(rows, find_relation, NULL, &found);
	return list_concat(found.views, found.relations);
}

static int
count_named(List *relations)
{
	int count = 0;

	foreach_ptr (const DpReadRelation, read, relations)
		count += read->is_named;
	return count;
}

List *
dp_contribution_levels(List *relations)
{
	if (count_named(relations) != 1)
		return NIL;
	foreach_ptr (const DpReadRelation, read, relations)
	{
		if (read->is_named)
			return dp_declared_levels(read->relation);
	}
	return NIL;
}

uint32
dp_contribution_people(List *relations)
{
	uint32 people = 1;

	foreach_ptr (const DpReadRelation, read, relations)
		people = Max(people, dp_protection_of(read->relation)->people);
	return people;
}

/*
 * Privacy levels belong to one relation or view, for which the grant pays once
 * for all of them. Answers about a view over a relation with levels would not be
 * among its levels.
 */
static void
refuse_levels(List *relations, int location)
{
	bool is_joined = count_named(relations) > 1;

	foreach_ptr (const DpReadRelation, read, relations)
	{
		if ((is_joined || !read->is_named) &&
			dp_declared_levels(read->relation) != NIL)
			dp_refusal_raise(
				read->is_named
					? "a join to a protected relation with privacy levels"
					: "a protected view of a relation with privacy levels",
				read->is_named ? "Ask about each of the relations by itself."
							   : "Ask the owner for levels of the view "
								 "instead.",
				read->location >= 0 ? read->location : location);
	}
}

/*
 * Refuses substitute neighbours where rows of two relations may be exchanged:
 * that would be two exchanges.
 */
static void
refuse_substitution(List *relations, int location)
{
	foreach_ptr (const DpReadRelation, read, relations)
	{
		if (dp_protection_of(read->relation)->contribution.neighbours ==
			DP_SUBSTITUTE)
			dp_refusal_raise("an outer join, or such a sub-query, of protected "
							 "relations whose privacy units are substituted",
							 "Write an inner join.",
							 read->location >= 0 ? read->location : location);
	}
}

/* Whether some of several relations have units that are rows, and owners other than one. */
static bool
are_rows_open_to_others(List *relations)
{
	DpRelations tables = {.oids = NIL};
	bool has_row_units = false;

	foreach_ptr (const DpReadRelation, read, relations)
	{
		if (read->is_view)
			continue;
		tables.oids = lappend_oid(tables.oids, read->relation);
		has_row_units |= dp_protection_of(read->relation)->unit == 0;
	}
	return has_row_units && list_length(tables.oids) > 1 &&
		   dp_row_copies_are_needed(&tables);
}

/* Where the first thing that is owned stands in FROM. */
static int
location_of_owned(const DpNode *rows)
{
	while (rows->kind == DP_NODE_JOIN || rows->kind == DP_NODE_LEFT_JOIN)
	{
		int i = 0;

		while (i < rows->ninputs - 1 && !rows->inputs[i]->facts->owner.is_owned)
			i++;
		rows = rows->inputs[i];
	}
	return rows->location;
}

bool
dp_contribution_has_several(const DpNode *rows)
{
	List *looked_up = NIL;
	List *by = NIL;

	return !dp_keys_units_are_rows(rows, &looked_up, &by);
}

void
dp_contribution_check(const DpNode *rows, List *relations, bool exchanges,
					  bool several, int location)
{
	refuse_levels(relations, location);
	if (exchanges)
		refuse_substitution(relations, location);
	if (!several)
		return;
	if (rows->facts->owner.names == NIL)
		dp_refusal_raise("a join that may multiply the rows of a foreign or "
						 "distributed table, where they are its privacy units,",
						 "Ask the owner to protect it with privacy_unit => the "
						 "column that identifies the person.",
						 location_of_owned(rows));
	if (are_rows_open_to_others(relations))
		dp_refusal_raise(
			"a join of protected relations, whose privacy units are "
			"rows, of several owners or with distributed ones",
			"Ask the owners to protect them with privacy_unit => "
			"the column that identifies the person.",
			location_of_owned(rows));
}

/* The lesser of a number of groups and of as many times others, if these are known. */
static uint64
times(uint64 count, uint64 values, uint32 groups)
{
	return values == 0 ? groups : Min(count * Min(values, groups), groups);
}

/* The lesser of a number and of the groups that there can be. */
static uint32
least_groups(uint32 groups, const DpQuestion *question, const Bitmapset *keys,
			 List *together)
{
	Bitmapset *left = bms_copy(keys);
	uint64 count = 1;
	ListCell *key;
	int number = -1;

	foreach_ptr (const DpTogether, one, together)
	{
		foreach (key, one->keys)
			left = bms_del_member(left, lfirst_int(key));
		count = times(count, dp_together_values(one), groups);
	}
	while ((number = bms_next_member(left, number)) >= 0)
		count =
			times(count, dp_domain_values(list_nth(question->domains, number)),
				  groups);
	return (uint32) count;
}

DpContribution
dp_contribution_of(const DpQuestion *question, List *relations,
				   const DpGrouping *grouping, const Bitmapset *keys,
				   List *together)
{
	DpContribution result = dp_contribution_of_row(DP_ADD_REMOVE);

	result.groups = 1;
	foreach_ptr (const DpReadRelation, read, relations)
	{
		const DpContribution *one =
			&dp_protection_of(read->relation)->contribution;

		if (one->neighbours == DP_SUBSTITUTE)
			result.neighbours = DP_SUBSTITUTE;
		if (!read->is_named)
			continue; /* the view has caps of its own */
		result.rows = Max(result.rows, one->rows);
		result.groups = Max(result.groups, one->groups);
	}
	if (dp_setting_max_rows_per_unit > 0)
		result.rows = (uint32) dp_setting_max_rows_per_unit;
	if (dp_setting_max_groups_per_unit > 0)
		result.groups = (uint32) dp_setting_max_groups_per_unit;
	if (!question->several || grouping->one_row)
		result.rows = 1;
	if (!question->several || grouping->one_group)
		result.groups = 1;
	if (question->node.facts->owner.exchanges)
		result.neighbours = DP_SUBSTITUTE;
	result.groups = bms_is_empty(keys)
						? 0
						: least_groups(result.groups, question, keys, together);
	return result;
}

void
dp_contribution_check_type(Oid written)
{
	Oid type = getBaseType(written);
	Oid equality;

	get_sort_group_operators(type, false, false, false, NULL, &equality, NULL,
							 NULL);
	if (!OidIsValid(equality) || equality >= FirstNormalObjectId ||
		OidIsValid(get_element_type(type)) || type_is_rowtype(type) ||
		type_is_range(type) || type_is_multirange(type))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("a privacy unit of type %s cannot be used",
							   format_type_be(written)),
						errhint("Ask the owner for a unit that is a column of "
								"numbers, texts, dates or uuids.")));
}

void
dp_contribution_check_unit(const DpNode *rows)
{
	const DpUnitName *unit = dp_owner_value_name(&rows->facts->owner);
	ListCell *cell;

	foreach (cell, unit == NULL ? NIL : unit->columns)
		dp_contribution_check_type(rows->columns[lfirst_int(cell)].type.oid);
}
