/*
 * explain_keys.c
 *		EXPLAIN of the groups of a DP Release.
 *
 * For public keys their domains are shown: the number of groups is that of the
 * answer, whatever rows there are. For private keys, only how they are
 * selected.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"

#include "gate/bound/key.h"
#include "gate/relations/publics.h"
#include "gate/release/empty_groups.h"
#include "gate/release/explain_answer.h"
#include "gate/release/explain_keys.h"
#include "gate/release/sub_query_values.h"
#include "server/compat.h"
#include "server/search.h"

/* A column of an entry of FROM that is no relation itself. */
static bool
is_of_copy(Node *node, void *rtable)
{
	return IsA(node, Var) &&
		   rt_fetch(((Var *) node)->varno, (List *) rtable)->rtekind !=
			   RTE_RELATION;
}

/* For deparsing: the entries of FROM with the names of their relations. */
static List *
deparse_context(const DpRelations *relations)
{
	PlannedStmt *plan = makeNode(PlannedStmt);
	List *names = NIL;

	foreach_ptr (RangeTblEntry, rte, relations->frame->rtable)
	{
		const DpPublic *public = dp_publics_of(relations, rte);
		char *name = rte->eref->aliasname;

		if (rte->rtekind == RTE_RELATION)
			name = get_rel_name(rte->relid);
		else if (public != NULL)
			name = public->name;
		names = lappend(names, name);
	}
	plan->rtable = relations->frame->rtable;
	return deparse_context_for_plan_tree(plan, names);
}

/*
 * A key as it is written, columns of a single relation without its name. The
 * server cannot write a sub-query over copies.
 */
static char *
key_text(const DpRelations *relations, const DpKey *key)
{
	if (checkExprHasSubLink(key->expression))
		return pstrdup("a sub-query");
	return deparse_expression(key->expression, deparse_context(relations),
							  list_length(relations->oids) > 1 ||
								  dp_search_within(key->expression, is_of_copy,
												   relations->frame->rtable),
							  false);
}

/* Whether some sources name answers that are not there before they are executed. */
static bool
sources_await(const DpReleaseState *state, List *sources, List *params)
{
	ListCell *source;

	foreach (source, sources)
	{
		if (!IsA(lfirst(source), PlannedStmt) &&
			dp_sub_query_values_are_named(state, lfirst(source)))
			return true;
	}
	return dp_sub_query_values_are_named(state, (Node *) params);
}

/* Whether values of keys are such answers. */
static bool
awaits_values(const DpReleaseState *state, List *keys)
{
	if (!dp_sub_query_values_are_awaited(state))
		return false;
	foreach_ptr (DpKey, key, keys)
	{
		if (sources_await(state, key->sources, key->params))
			return true;
	}
	foreach_ptr (DpKeyTuples, tuples, state->outline->tuples)
	{
		if (sources_await(state, tuples->sources, tuples->params))
			return true;
	}
	return false;
}

/* Keys side by side, with their domain, and how many values they have if known. */
static char *
values_text(const DpOutline *outline, List *keys, List *places,
			const char *domain, const DpRowTable *tuples)
{
	StringInfoData text;
	ListCell *cell;

	initStringInfo(&text);
	foreach (cell, places)
		appendStringInfo(
			&text, "%s%s", foreach_current_index(cell) == 0 ? "" : ", ",
			key_text(&outline->relations, list_nth(keys, lfirst_int(cell))));
	if (tuples == NULL)
		appendStringInfo(&text, " (%s)", domain);
	else
		appendStringInfo(&text, " (%s, " INT64_FORMAT " %s)", domain,
						 dp_row_table_count(tuples),
						 list_length(places) == 1 ? "values" : "tuples");
	return text.data;
}

/* groups: NULL where their values are not known yet. */
static void
explain_public_keys(const DpOutline *outline, List *keys,
					const DpGroups *groups, ExplainState *es)
{
	List *texts = NIL;

	if (groups == NULL)
	{
		foreach_ptr (const DpKey, key, keys)
			texts = lappend(
				texts, values_text(outline, keys,
								   list_make1_int(foreach_current_index(key)),
								   key->domain, NULL));
		ExplainPropertyList("Public Group Key", texts, es);
		return;
	}
	foreach_ptr (const DpKeyValues, values, groups->values)
		texts = lappend(texts, values_text(outline, keys, values->keys,
										   values->domain, values->tuples));
	ExplainPropertyList("Public Group Key", texts, es);
	ExplainPropertyInteger(list_length(keys) == list_length(outline->keys)
							   ? "Released Rows"
							   : "Released Rows per Private Key",
						   NULL, groups->count, es);
}

static void
explain_private_keys(const DpReleaseState *state, List *keys, ExplainState *es)
{
	List *texts = NIL;

	foreach_ptr (DpKey, key, keys)
		texts = lappend(texts, key_text(&state->outline->relations, key));
	ExplainPropertyList("Private Group Key", texts, es);
}

/*
 * Names the count that selects groups: one of the block's, or one made for it.
 */
static const char *
selecting_count(const DpReleaseState *state)
{
	Aggref *aggref;

	if (state->groups.selection->aggno < 0)
		return "number of privacy units";
	aggref =
		list_nth(state->outline->aggregates, state->groups.selection->aggno);
	return get_func_name(aggref->aggfnoid);
}

static void
explain_selection(const DpReleaseState *state, ExplainState *es)
{
	const DpGroupSelection *selection = state->groups.selection;

	dp_explain_open("Group Selection", "Group Selection", "Groups Selected by",
					selecting_count(state), es);
	ExplainPropertyText("Mechanism",
						dp_mechanism_name(selection->noise.mechanism), es);
	if (selection->reach > 0)
		ExplainPropertyInteger("Greatest Noise", NULL, selection->reach, es);
	ExplainPropertyInteger("Threshold", NULL, selection->threshold, es);
	dp_explain_amount("Epsilon", selection->epsilon, es);
	dp_explain_amount("Delta", selection->delta, es);
	dp_explain_close("Group Selection", "Group Selection", es);
}

void
dp_explain_keys(DpReleaseState *state, ExplainState *es)
{
	List *public_keys = dp_key_those(state->outline->keys, true);
	List *private_keys = dp_key_those(state->outline->keys, false);

	if (private_keys != NIL)
		explain_private_keys(state, private_keys, es);
	if (public_keys != NIL)
		explain_public_keys(state->outline, public_keys,
							awaits_values(state, public_keys)
								? NULL
								: dp_groups_find(&state->groups),
							es);
	if (dp_empty_groups_may_hide(&state->answers))
		ExplainPropertyText("Empty Groups",
							"left out where no count can be told from none",
							es);
	if (private_keys != NIL && state->outline->people > 1)
		ExplainPropertyText("People per Group",
							psprintf("at least %u", state->outline->people),
							es);
	if (state->groups.selection != NULL)
		explain_selection(state, es);
	else if (private_keys != NIL)
		ExplainPropertyText("Groups Selected by", "stored answer", es);
}
