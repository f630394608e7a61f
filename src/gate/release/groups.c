/*
 * groups.c
 *		From the sources of keys to all combinations of their values.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_coerce.h"
#include "utils/lsyscache.h"

#include "gate/question/keys/key.h"
#include "gate/question/relations/rights.h"
#include "gate/release/execution.h"
#include "gate/release/state.h"

static void
check_count(int64 count)
{
	if (count > DP_GROUPS_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many groups in a query over a protected relation"),
				 errdetail("Every combination of the keys' public values is a "
						   "group, and there are more than %d.",
						   DP_GROUPS_MAX),
				 errhint("Group by fewer keys, or by keys of fewer values.")));
}

/* Adds a value of a key. NULL is left out: it is added last. */
static void
add_value(DpRows *values, Datum value, bool isnull)
{
	if (isnull)
		return;
	(void) dp_gate_rows_add(values, &value, &isnull);
	check_count(dp_gate_rows_count(values));
}

static bool
receive_value(TupleTableSlot *slot, void *values)
{
	slot_getallattrs(slot);
	add_value(values, slot->tts_values[0], slot->tts_isnull[0]);
	return true;
}

/* Values that a query finds must be of the key's type, or of the same bits. */
static void
check_source(const PlannedStmt *plan, const DpKey *key)
{
	Node *value =
		(Node *) linitial_node(TargetEntry, plan->planTree->targetlist)->expr;

	if (!IsBinaryCoercible(exprType(value),
						   getBaseType(exprType(key->expression))))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("the public values of a group key are not of its type"),
				 errhint("Ask again.")));
}

/*
 * Runs the query as its reader; whoever asks must still be allowed to read it.
 * rights: ended after errors by dp_gate_groups_find.
 */
static void
run_source(PlannedStmt *plan, const DpKey *key, EState *estate, DpRows *values)
{
	Oid refused = dp_compat_refused_by_plan(plan);
	DpRights rights;

	if (OidIsValid(refused))
		aclcheck_error(ACLCHECK_NO_PRIV,
					   get_relkind_objtype(get_rel_relkind(refused)),
					   get_rel_name(refused));
	dp_gate_begin_reading(&rights, key->reader);
	dp_gate_execute(plan, estate, NIL, receive_value, values);
	dp_gate_end_rights(&rights);
}

/* The values of one key, NULL last where it is one of them. */
static DpRows *
values_of(const DpKey *key, PlanState *node)
{
	DpRows *values = dp_gate_rows_make(list_make1(key->expression), 1);
	bool has_null = key->is_nullable;
	ListCell *cell;

	foreach (cell, key->sources)
	{
		Node *source = lfirst(cell);
		Datum value;
		bool isnull;

		if (IsA(source, PlannedStmt))
		{
			check_source((PlannedStmt *) source, key);
			run_source((PlannedStmt *) source, key, node->state, values);
			continue;
		}
		value = ExecEvalExprSwitchContext(ExecInitExpr((Expr *) source, node),
										  node->ps_ExprContext, &isnull);
		has_null |= isnull;
		add_value(values, value, isnull);
	}
	if (has_null)
	{
		Datum value = (Datum) 0;

		(void) dp_gate_rows_add(values, &value, &has_null);
	}
	return values;
}

/*
 * Others' functions run here, in policies and indexes of public relations.
 * Settings that they change are restored, since the charge is for
 * dp_noise.epsilon as it was. Other changes are detected before anything
 * protected is read (gate/question/relations/shapes.h).
 */
DpGroups *
dp_gate_groups_find(List *keys, PlanState *node)
{
	DpGroups *groups = palloc0(sizeof(DpGroups));
	DpRights rights;
	ListCell *cell;

	groups->count = 1;
	dp_gate_begin_public(&rights);
	PG_TRY();
	{
		foreach (cell, keys)
		{
			DpRows *values = values_of(lfirst(cell), node);

			groups->values = lappend(groups->values, values);
			groups->count *= dp_gate_rows_count(values);
			check_count(groups->count);
		}
	}
	PG_FINALLY();
	{
		dp_gate_end_rights(&rights);
	}
	PG_END_TRY();
	return groups;
}

void
dp_gate_groups_add_rows(const DpGroups *groups, DpRows *rows)
{
	int count = list_length(groups->values);
	Datum *keys = palloc(count * sizeof(Datum));
	bool *nulls = palloc(count * sizeof(bool));
	int64 number;

	if (groups->count * dp_gate_rows_columns(rows) > DP_VALUES_MAX)
		ereport(
			ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("too many answers in a query over a protected relation"),
			 errdetail("Every combination of the keys' public values is a "
					   "group, and there are more than %d values in all of "
					   "them.",
					   DP_VALUES_MAX),
			 errhint("Ask for fewer aggregates at once, or group by fewer "
					 "keys.")));
	for (number = 0; number < groups->count; number++)
	{
		int64 rest = number;
		int i;

		CHECK_FOR_INTERRUPTS();
		for (i = count - 1; i >= 0; i--)
		{
			const DpRows *values = list_nth(groups->values, i);
			int64 row = rest % dp_gate_rows_count(values);

			keys[i] = dp_gate_rows_values(values, row)[0];
			nulls[i] = dp_gate_rows_nulls(values, row)[0];
			rest /= dp_gate_rows_count(values);
		}
		(void) dp_gate_rows_add(rows, keys, nulls);
	}
	pfree(keys);
	pfree(nulls);
}

const DpGroups *
dp_gate_release_groups(DpReleaseState *state)
{
	MemoryContext old =
		MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);

	if (state->groups == NULL)
	{
		dp_gate_shapes_check(&state->release->shapes);
		state->groups = dp_gate_groups_find(
			dp_gate_keys_of(state->release->outline.keys, true),
			&state->css.ss.ps);
	}
	MemoryContextSwitchTo(old);
	return state->groups;
}
