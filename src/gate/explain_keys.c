/*
 * explain_keys.c
 *		EXPLAIN of the groups of a DP Release.
 *
 * The domains of public keys are all that is told: the number of groups is that
 * of the answer, whatever rows there are.
 */
#include "postgres.h"

#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"

#include "gate/key.h"
#include "gate/release_state.h"
#include "server/compat.h"

/* A key as it is written, its columns without the relation's name. */
static char *
key_text(Oid relation, const DpKey *key)
{
	List *context = deparse_context_for(get_rel_name(relation), relation);
	Node *expression = copyObject(key->expression);

	ChangeVarNodes(expression,
				   bms_singleton_member(pull_varnos(NULL, expression)), 1, 0);
	return deparse_expression(expression, context, false, false);
}

void
dp_gate_explain_keys(DpReleaseState *state, ExplainState *es)
{
	const DpGroups *groups = dp_gate_release_groups(state);
	const ListCell *values = list_head(groups->values);
	List *texts = NIL;
	ListCell *cell;

	foreach (cell, state->release->keys)
	{
		const DpKey *key = lfirst(cell);

		texts = lappend(texts, psprintf("%s (%s, " INT64_FORMAT " values)",
										key_text(state->release->relation, key),
										key->domain,
										dp_gate_rows_count(lfirst(values))));
		values = lnext(groups->values, values);
	}
	ExplainPropertyList("Public Group Key", texts, es);
	ExplainPropertyInteger("Released Rows", NULL, groups->count, es);
}
