/*
 * explain_keys.c
 *		EXPLAIN of the groups of a DP Release.
 *
 * Of public keys the domains are told: the number of groups is that of the
 * answer, whatever rows there are. Of private keys only how they are selected.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"

#include "gate/key.h"
#include "gate/lookup.h"
#include "gate/release_state.h"
#include "server/compat.h"

/* The name of a joined table's column; NULL for other expressions. */
static char *
lookup_text(Node *node)
{
	Oid relation;

	if (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	if (dp_gate_lookup_column(node) == NULL)
		return NULL;
	relation = get_typ_typrelid(((RowExpr *) node)->row_typeid);
	return psprintf(
		"%s.%s", quote_identifier(get_rel_name(relation)),
		quote_identifier(get_attname(
			relation, dp_gate_lookup_column(node)->varattno, false)));
}

/* The name of a column of one of several relations. */
static char *
column_text(const DpSubjects *subjects, const Var *column)
{
	Oid relation = dp_gate_relation_of(subjects, column);

	return psprintf(
		"%s.%s", quote_identifier(get_rel_name(relation)),
		quote_identifier(get_attname(relation, column->varattno, false)));
}

/* The name of a column, of a joined table or of one of several relations. */
static char *
name_of(const DpSubjects *subjects, Node *node)
{
	if (list_length(subjects->relations) > 1 && dp_gate_column_of(node) != NULL)
		return column_text(subjects, dp_gate_column_of(node));
	return lookup_text(node);
}

/* Within an expression such a name stands for its column. */
static Node *
name_columns(Node *node, void *subjects)
{
	char *text;

	if (node == NULL)
		return NULL;
	text = name_of(subjects, node);
	if (text == NULL)
		return expression_tree_mutator(node, name_columns, subjects);
	return (Node *) makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1,
							  CStringGetTextDatum(text), false, false);
}

/* A key as it is written, columns of a single relation without its name. */
static char *
key_text(DpSubjects *subjects, const DpKey *key)
{
	Oid relation = linitial_oid(subjects->relations);
	List *context = deparse_context_for(get_rel_name(relation), relation);
	char *name = name_of(subjects, key->expression);
	Node *expression;
	int place = -1;

	if (name != NULL)
		return name;
	expression = name_columns(key->expression, subjects);
	if (bms_get_singleton_member(pull_varnos(NULL, expression), &place))
		ChangeVarNodes(expression, place, 1, 0);
	return deparse_expression(expression, context, false, false);
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
