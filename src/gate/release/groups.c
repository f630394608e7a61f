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
#include "server/compat_permissions.h"

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
	if (count > DP_DOMAIN_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many groups in a query over a protected relation"),
				 errdetail("Every combination of the keys' public values is a "
						   "group, and there are more than %d.",
						   DP_DOMAIN_MAX),
				 errhint("Group by fewer keys, or by keys of fewer values.")));
}

/* The values of a key, or of several, while they are found. */
typedef struct Finding
{
	List *expressions; /* of the keys */
	Oid reader;
	DpRowTable *tuples;
	bool has_null;	 /* of a single key: it is added last */
	bool finds_null; /* and a query may find it */
} Finding;

/* Adds a tuple. NULL of a single key is left out: it is added last. */
static void
add_tuple(Finding *finding, const Datum *values, const bool *nulls)
{
	if (list_length(finding->expressions) == 1 && nulls[0])
		return;
	(void) dp_row_table_add(finding->tuples, values, nulls);
	check_count(dp_row_table_count(finding->tuples));
}

static bool
receive_tuple(TupleTableSlot *slot, void *context)
{
	Finding *finding = context;

	slot_getallattrs(slot);
	finding->has_null |= finding->finds_null && slot->tts_isnull[0];
	add_tuple(finding, slot->tts_values, slot->tts_isnull);
	return true;
}

/* Values that a query finds must be of the key's type, or of the same bits. */
static void
check_source(const PlannedStmt *plan, const Finding *finding)
{
	ListCell *cell;
	ListCell *entry = list_head(plan->planTree->targetlist);

	foreach (cell, finding->expressions)
	{
		if (!IsBinaryCoercible(
				exprType((Node *) lfirst_node(TargetEntry, entry)->expr),
				getBaseType(exprType(lfirst(cell)))))
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("the public values of a group key are not of its "
							"type"),
					 errhint("Ask again.")));
		entry = lnext(plan->planTree->targetlist, entry);
	}
}

/*
 * Runs the query as its reader; whoever asks must still be allowed to read it.
 * rights: ended after errors by find_values.
 */
static void
run_source(PlannedStmt *plan, Finding *finding, EState *estate)
{
	Oid refused = dp_compat_refused_by_plan(plan);
	DpRights rights;

	check_source(plan, finding);
	if (OidIsValid(refused))
		aclcheck_error(ACLCHECK_NO_PRIV,
					   get_relkind_objtype(get_rel_relkind(refused)),
					   get_rel_name(refused));
	dp_role_rights_begin_reading(&rights, finding->reader);
	dp_execution_run(plan, estate, NIL, receive_tuple, finding);
	dp_role_rights_end(&rights);
}

/* Evaluates expressions, one for each key. */
static void
evaluate_source(List *source, Finding *finding, PlanState *node)
{
	int count = list_length(source);
	Datum *values = palloc(count * sizeof(Datum));
	bool *nulls = palloc(count * sizeof(bool));
	ListCell *cell;

	foreach (cell, source)
	{
		int i = foreach_current_index(cell);

		if (IsA(lfirst(cell), Const)) /* of which there may be a million */
		{
			values[i] = lfirst_node(Const, cell)->constvalue;
			nulls[i] = lfirst_node(Const, cell)->constisnull;
		}
		else
			values[i] = ExecEvalExprSwitchContext(
				ExecInitExpr((Expr *) lfirst(cell), node), node->ps_ExprContext,
				&nulls[i]);
	}
	finding->has_null |= nulls[0];
	add_tuple(finding, values, nulls);
	pfree(values);
	pfree(nulls);
}

static DpRowTable *
find_tuples(List *sources, Finding *finding, PlanState *node)
{
	int count = list_length(finding->expressions);

	finding->tuples = dp_row_table_make(finding->expressions, count);
	foreach_ptr (Node, source, sources)
	{
		if (IsA(source, PlannedStmt))
			run_source((PlannedStmt *) source, finding, node->state);
		else if (IsA(source, List))
			evaluate_source((List *) source, finding, node);
		else
			evaluate_source(list_make1(source), finding, node);
	}
	if (count == 1 && finding->has_null)
	{
		Datum value = (Datum) 0;

		(void) dp_row_table_add(finding->tuples, &value, &finding->has_null);
	}
	return finding->tuples;
}

/* The values of one key, NULL last where it is one of them. */
static DpKeyValues *
values_of(const DpKey *key, int place, PlanState *node)
{
	Finding finding = {.expressions = list_make1(key->expression),
					   .reader = key->reader,
					   .has_null = key->is_nullable,
					   .finds_null = key->finds_null};
	DpKeyValues *result = palloc(sizeof(DpKeyValues));

	result->keys = list_make1_int(place);
	result->domain = key->domain;
	result->tuples = find_tuples(key->sources, &finding, node);
	return result;
}

/* The tuples of several. places: of the grouping's keys among the public ones. */
static DpKeyValues *
tuples_of(const DpKeyTuples *tuples, List *keys, const int *places,
		  PlanState *node)
{
	Finding finding = {.reader = InvalidOid};
	DpKeyValues *result = palloc(sizeof(DpKeyValues));
	ListCell *cell;

	result->keys = NIL;
	foreach (cell, tuples->keys)
	{
		const DpKey *key = list_nth(keys, lfirst_int(cell));

		result->keys = lappend_int(result->keys, places[lfirst_int(cell)]);
		finding.expressions = lappend(finding.expressions, key->expression);
	}
	result->domain = tuples->domain;
	result->tuples = find_tuples(tuples->sources, &finding, node);
	return result;
}

/* The values of all public keys, each where its first one is. */
static List *
find_all(const DpOutline *outline, PlanState *node)
{
	int *places = palloc0((list_length(outline->keys) + 1) * sizeof(int));
	List *values = NIL;
	int place = 0;

	foreach_ptr (DpKey, key, outline->keys)
	{
		places[foreach_current_index(key)] = place;
		place += key->is_public ? 1 : 0;
	}
	foreach_ptr (DpKey, key, outline->keys)
	{
		int number = foreach_current_index(key);
		const DpKeyTuples *tuples = dp_key_tuples_of(outline->tuples, number);

		if (tuples != NULL && linitial_int(tuples->keys) == number)
			values =
				lappend(values, tuples_of(tuples, outline->keys, places, node));
		else if (tuples == NULL && key->is_public)
			values = lappend(values, values_of(key, places[number], node));
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

	groups->count = 1;
	dp_role_rights_begin_public(&rights);
	PG_TRY();
	{
		groups->values = find_all(groups->outline, groups->node);
		foreach_ptr (DpKeyValues, values, groups->values)
		{
			groups->count *= dp_row_table_count(values->tuples);
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

/* The keys of a combination, by its number. */
static void
combine(const DpGroups *groups, int64 number, Datum *keys, bool *nulls)
{
	int i = list_length(groups->values);
	ListCell *cell;

	while (--i >= 0)
	{
		const DpKeyValues *values = list_nth(groups->values, i);
		int64 count = dp_row_table_count(values->tuples);
		int64 row = number % count;

		number /= count;
		foreach (cell, values->keys)
		{
			int column = foreach_current_index(cell);

			keys[lfirst_int(cell)] =
				dp_row_table_values(values->tuples, row)[column];
			nulls[lfirst_int(cell)] =
				dp_row_table_nulls(values->tuples, row)[column];
		}
	}
}

void
dp_groups_add_rows(const DpGroups *groups, DpRowTable *rows)
{
	int count = list_length(dp_key_those(groups->outline->keys, true));
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
		CHECK_FOR_INTERRUPTS();
		combine(groups, number, keys, nulls);
		(void) dp_row_table_add(rows, keys, nulls);
	}
	pfree(keys);
	pfree(nulls);
}
