/*
 * explain_keys.c
 *		EXPLAIN of the groups of a DP Release.
 *
 * Of public keys the domains are told: the number of groups is that of the
 * answer, whatever rows there are. Of private keys only how they are selected.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"

#include "gate/question/key.h"
#include "gate/question/lookup.h"
#include "gate/release/state.h"
#include "server/compat.h"

/* The relations whose columns an expression names. */
typedef struct Named
{
	const DpSubjects *subjects;
	List *relations; /* oids */
	bool in_full;	 /* columns bear their relation's name */
} Named;

/* A column as that of a relation's place among those named. */
static Node *
name_column(Named *named, Oid relation, const Var *column)
{
	Var *result = (Var *) copyObjectImpl(column);

	named->relations = list_append_unique_oid(named->relations, relation);
	result->varno = list_length(named->relations);
	while (list_nth_oid(named->relations, (int) result->varno - 1) != relation)
		result->varno--;
	result->varnosyn = result->varno;
	result->varattnosyn = result->varattno;
	return (Node *) result;
}

static Node *
name_columns(Node *node, void *context)
{
	Named *named = context;

	if (node == NULL)
		return NULL;
	if (IsA(node, Var))
		return name_column(named,
						   dp_gate_relation_of(named->subjects, (Var *) node),
						   (Var *) node);
	if (dp_gate_lookup_column(node) != NULL)
	{
		named->in_full = true;
		return name_column(named,
						   get_typ_typrelid(((RowExpr *) node)->row_typeid),
						   dp_gate_lookup_column(node));
	}
	return expression_tree_mutator(node, name_columns, context);
}

/* For deparsing: FROM the relations named. */
static List *
deparse_context(const Named *named)
{
	PlannedStmt *plan = makeNode(PlannedStmt);
	List *names = NIL;
	ListCell *cell;

	foreach (cell, named->relations)
	{
		RangeTblEntry *rte = makeNode(RangeTblEntry);
		char *name = get_rel_name(lfirst_oid(cell));

		rte->rtekind = RTE_RELATION;
		rte->relid = lfirst_oid(cell);
		rte->relkind = get_rel_relkind(lfirst_oid(cell));
		rte->rellockmode = AccessShareLock;
		rte->eref = rte->alias = makeAlias(name, NIL);
		plan->rtable = lappend(plan->rtable, rte);
		names = lappend(names, name);
	}
	return deparse_context_for_plan_tree(plan, names);
}

/* A key as it is written, columns of a single relation without its name. */
static char *
key_text(const DpSubjects *subjects, const DpKey *key)
{
	Named named = {subjects, NIL, list_length(subjects->relations) > 1};
	Node *expression = name_columns(key->expression, &named);

	return deparse_expression(expression, deparse_context(&named),
							  named.in_full, false);
}

static void
explain_public_keys(DpReleaseState *state, List *keys, ExplainState *es)
{
	const DpGroups *groups = dp_gate_release_groups(state);
	const ListCell *values = list_head(groups->values);
	List *texts = NIL;
	ListCell *cell;

	foreach (cell, keys)
	{
		const DpKey *key = lfirst(cell);

		texts = lappend(
			texts, psprintf("%s (%s, " INT64_FORMAT " values)",
							key_text(&state->release->subjects, key),
							key->domain, dp_gate_rows_count(lfirst(values))));
		values = lnext(groups->values, values);
	}
	ExplainPropertyList("Public Group Key", texts, es);
	ExplainPropertyInteger(list_length(keys) ==
								   list_length(state->release->keys)
							   ? "Released Rows"
							   : "Released Rows per Private Key",
						   NULL, groups->count, es);
}

static void
explain_private_keys(const DpReleaseState *state, List *keys, ExplainState *es)
{
	List *texts = NIL;
	ListCell *cell;

	foreach (cell, keys)
		texts =
			lappend(texts, key_text(&state->release->subjects, lfirst(cell)));
	ExplainPropertyList("Private Group Key", texts, es);
}

/* The count that selects: one of the block's, or one made for the purpose. */
static const char *
selecting_count(const DpReleaseState *state)
{
	Aggref *aggref;

	if (state->selection->place < 0)
		return "number of privacy units";
	aggref = list_nth(state->release->aggregates, state->selection->place);
	return get_func_name(aggref->aggfnoid);
}

static void
explain_selection(const DpReleaseState *state, ExplainState *es)
{
	const DpGroupSelection *selection = state->selection;
	char text[DP_AMOUNT_TEXT];

	ExplainOpenGroup("Group Selection", "Group Selection", true, es);
	ExplainPropertyText("Groups Selected by", selecting_count(state), es);
	if (es->format == EXPLAIN_FORMAT_TEXT)
		es->indent++;
	ExplainPropertyText("Mechanism",
						dp_mechanism_name(selection->noise.mechanism), es);
	ExplainPropertyInteger("Threshold", NULL, selection->threshold, es);
	dp_amount_format(selection->epsilon, text);
	ExplainPropertyText("Epsilon", text, es);
	dp_amount_format(selection->delta, text);
	ExplainPropertyText("Delta", text, es);
	if (es->format == EXPLAIN_FORMAT_TEXT)
		es->indent--;
	ExplainCloseGroup("Group Selection", "Group Selection", true, es);
}

void
dp_gate_explain_keys(DpReleaseState *state, ExplainState *es)
{
	List *public_keys = dp_gate_keys_of(state->release->keys, true);
	List *private_keys = dp_gate_keys_of(state->release->keys, false);

	if (private_keys != NIL)
		explain_private_keys(state, private_keys, es);
	if (public_keys != NIL)
		explain_public_keys(state, public_keys, es);
	if (state->selection != NULL)
		explain_selection(state, es);
	else if (private_keys != NIL)
		ExplainPropertyText("Groups Selected by", "stored answer", es);
}
