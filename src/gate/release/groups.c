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

#include "gate/bound/key.h"
#include "gate/relations/role_rights.h"
#include "gate/release/execution.h"
#include "gate/release/groups.h"
#include "server/compat.h"

void
dp_groups_init(DpGroups *groups, const DpReleasePlan *plan, PlanState *node)
{
	*groups = (DpGroups){.plan = plan, .outline = &plan->outline, .node = node};
}

bool
dp_groups_are_private(const DpGroups *groups)
{
	return dp_key_those(groups->outline->keys, false) != NIL;
}

bool
dp_groups_have_public_keys(const DpGroups *groups)
{
	return dp_key_those(groups->outline->keys, true) != NIL;
}

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
add_value(DpRowTable *values, Datum value, bool isnull)
{
	if (isnull)
		return;
	(void) dp_row_table_add(values, &value, &isnull);
	check_count(dp_row_table_count(values));
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
 * rights: ended after errors by find_values.
 */
static void
run_source(PlannedStmt *plan, const DpKey *key, EState *estate,
		   DpRowTable *values)
{
	Oid refused = dp_compat_refused_by_plan(plan);
	DpRights rights;

	if (OidIsValid(refused))
		aclcheck_error(ACLCHECK_NO_PRIV,
					   get_relkind_objtype(get_rel_relkind(refused)),
					   get_rel_name(refused));
	dp_role_rights_begin_reading(&rights, key->reader);
	dp_execution_run(plan, estate, NIL, receive_value, values);
	dp_role_rights_end(&rights);
}

/* The values of one key, NULL last where it is one of them. */
static DpRowTable *
values_of(const DpKey *key, PlanState *node)
{
	DpRowTable *values = dp_row_table_make(list_make1(key->expression), 1);
	bool has_null = key->is_nullable;

	foreach_ptr (Node, source, key->sources)
	{
		Datum value;
		bool isnull;

		if (IsA(source, PlannedStmt))
		{
			check_source((PlannedStmt *) source, key);
			run_source((PlannedStmt *) source, key, node->state, values);
			continue;
		}
		if (IsA(source, Const)) /* of which there may be a million */
		{
			value = ((Const *) source)->constvalue;
			isnull = ((Const *) source)->constisnull;
		}
		else
			value =
				ExecEvalExprSwitchContext(ExecInitExpr((Expr *) source, node),
										  node->ps_ExprContext, &isnull);
		has_null |= isnull;
		add_value(values, value, isnull);
	}
	if (has_null)
	{
		Datum value = (Datum) 0;

		(void) dp_row_table_add(values, &value, &has_null);
	}
	return values;
}

/*
 * Others' functions run here, in policies and indexes of public relations.
 * Settings that they change are restored, since the charge is for
 * dp_noise.epsilon as it was. Other changes are detected before anything
 * protected is read (gate/relations/shapes.h).
 */
static void
find_values(DpGroups *groups)
{
	DpRights rights;

	groups->values = NIL;
	groups->count = 1;
	dp_role_rights_begin_public(&rights);
	PG_TRY();
	{
		foreach_ptr (DpKey, key, dp_key_those(groups->outline->keys, true))
		{
			DpRowTable *values = values_of(key, groups->node);

			groups->values = lappend(groups->values, values);
			groups->count *= dp_row_table_count(values);
			check_count(groups->count);
		}
	}
	PG_FINALLY();
	{
		dp_role_rights_end(&rights);
	}
	PG_END_TRY();
	groups->are_found = true;
}

const DpGroups *
dp_groups_find(DpGroups *groups)
{
	MemoryContext old;

	if (groups->are_found)
		return groups;
	old = MemoryContextSwitchTo(groups->node->state->es_query_cxt);
	dp_shapes_check(&groups->plan->shapes);
	find_values(groups);
	MemoryContextSwitchTo(old);
	return groups;
}

void
dp_groups_add_rows(const DpGroups *groups, DpRowTable *rows)
{
	int count = list_length(groups->values);
	Datum *keys = palloc(count * sizeof(Datum));
	bool *nulls = palloc(count * sizeof(bool));
	int64 number;

	if (groups->count * dp_row_table_columns(rows) > DP_VALUES_MAX)
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
			const DpRowTable *values = list_nth(groups->values, i);
			int64 row = rest % dp_row_table_count(values);

			keys[i] = dp_row_table_values(values, row)[0];
			nulls[i] = dp_row_table_nulls(values, row)[0];
			rest /= dp_row_table_count(values);
		}
		(void) dp_row_table_add(rows, keys, nulls);
	}
	pfree(keys);
	pfree(nulls);
}
