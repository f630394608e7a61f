/*
 * release.c
 *		Planning and execution of DP Release.
 *
 * While a statement is planned, a block reads its row from the function
 * dp_noise.release(number); the path hook turns that into a custom scan. The
 * numbers are drawn from the CSPRNG and known only while their statement is
 * being planned, so that a call written by hand finds nothing.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "commands/explain.h"
#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/paths.h"
#include "optimizer/pathnode.h"
#include "parser/parse_func.h"
#include "tcop/dest.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "aggregates/call.h"
#include "aggregates/parameters.h"
#include "gate/question.h"
#include "gate/release.h"
#include "ledger/charge.h"
#include "server/report.h"

#define NODE_NAME "DP Release"

/* A release whose statement is being planned. */
typedef struct Entry
{
	int64 number;
	DpRelease *release;
} Entry;

static List *entries = NIL;
static set_rel_pathlist_hook_type prev_set_rel_pathlist = NULL;

/* Execution state: the row, once there is one. */
typedef struct ReleaseState
{
	CustomScanState css;
	DpRelease *release;
	bool done;	   /* the row is there */
	bool returned; /* and was returned since the last rescan */
	Datum *values;
	bool *nulls;
} ReleaseState;

Oid
dp_gate_release_function(void)
{
	Oid types[1] = {INT8OID};

	return LookupFuncName(
		list_make2(makeString("dp_noise"), makeString("release")), 1, types,
		false);
}

int
dp_gate_releases_open(void)
{
	return list_length(entries);
}

int64
dp_gate_releases_next(void)
{
	uint64 number = 0;

	dp_report_status(dp_random_word(dp_report_random(), &number));
	return (int64) number;
}

void
dp_gate_releases_add(int64 number, DpRelease *release)
{
	MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);
	Entry *entry = palloc(sizeof(Entry));

	entry->number = number;
	entry->release = release;
	entries = lappend(entries, entry);
	MemoryContextSwitchTo(old);
}

void
dp_gate_releases_close(int level)
{
	while (list_length(entries) > level)
	{
		pfree(llast(entries));
		entries = list_delete_last(entries);
	}
}

/* The node as an extensible node. */

static void
copy_release(ExtensibleNode *to, const ExtensibleNode *from)
{
	DpRelease *new = (DpRelease *) to;
	const DpRelease *old = (const DpRelease *) from;

	new->relation = old->relation;
	new->inner = copyObject(old->inner);
	new->aggregates = copyObject(old->aggregates);
	new->quals = copyObject(old->quals);
}

static bool
equal_release(const ExtensibleNode *a, const ExtensibleNode *b)
{
	return a == b;
}

static void
out_release(StringInfo buffer, const ExtensibleNode *node)
{
	(void) buffer; /* see release.h */
	(void) node;
}

static void
read_release(ExtensibleNode *node)
{
	(void) node;
	elog(ERROR, "a DP Release cannot be read from text");
}

static const ExtensibleNodeMethods node_methods = {
	.extnodename = NODE_NAME,
	.node_size = sizeof(DpRelease),
	.nodeCopy = copy_release,
	.nodeEqual = equal_release,
	.nodeOut = out_release,
	.nodeRead = read_release,
};

/* Planning. */

PG_FUNCTION_INFO_V1(dp_release);

/* Never reached: planning replaces the call, or refuses it. */
Datum
dp_release(PG_FUNCTION_ARGS)
{
	(void) fcinfo;
	elog(ERROR, "dp_noise.release cannot be called");
	PG_RETURN_NULL();
}

static Node *create_state(CustomScan *scan);

static const CustomScanMethods scan_methods = {
	.CustomName = NODE_NAME,
	.CreateCustomScanState = create_state,
};

static Plan *
plan_path(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist,
		  List *clauses, List *custom_plans)
{
	CustomScan *scan = makeNode(CustomScan);
	DpRelease *release = linitial(path->custom_private);
	ListCell *cell;
	int place = 0;

	(void) root;
	(void) custom_plans;
	scan->scan.plan.targetlist = tlist;
	scan->scan.plan.qual = NIL;
	foreach (cell, clauses)
		scan->scan.plan.qual = lappend(scan->scan.plan.qual,
									   lfirst_node(RestrictInfo, cell)->clause);
	scan->scan.scanrelid = 0;
	foreach (cell, release->aggregates)
	{
		Aggref *aggref = lfirst(cell);
		Var *var = makeVar(rel->relid, ++place, aggref->aggtype, -1,
						   aggref->aggcollid, 0);

		scan->custom_scan_tlist =
			lappend(scan->custom_scan_tlist,
					makeTargetEntry((Expr *) var, place, NULL, false));
	}
	scan->custom_relids = bms_copy(rel->relids);
	scan->custom_private = path->custom_private;
	scan->methods = &scan_methods;
	return &scan->scan.plan;
}

static const CustomPathMethods path_methods = {
	.CustomName = NODE_NAME,
	.PlanCustomPath = plan_path,
};

/* The release that a range-table entry reads, or NULL for other entries. */
static DpRelease *
find_release(RangeTblEntry *rte)
{
	RangeTblFunction *function;
	FuncExpr *call;
	Const *number;
	ListCell *cell;

	if (rte->rtekind != RTE_FUNCTION || list_length(rte->functions) != 1)
		return NULL;
	function = linitial(rte->functions);
	if (!IsA(function->funcexpr, FuncExpr))
		return NULL;
	call = (FuncExpr *) function->funcexpr;
	if (call->funcid < FirstNormalObjectId || list_length(call->args) != 1)
		return NULL;
	if (get_func_namespace(call->funcid) !=
			get_namespace_oid("dp_noise", true) ||
		call->funcid != dp_gate_release_function())
		return NULL;
	number = linitial(call->args);
	if (IsA(number, Const) && !number->constisnull)
	{
		foreach (cell, entries)
		{
			Entry *entry = lfirst(cell);

			if (entry->number == DatumGetInt64(number->constvalue))
				return entry->release;
		}
	}
	ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					errmsg("dp_noise.release cannot be called"),
					errhint("It stands for a query over a protected relation "
							"while that is being planned.")));
}

static void
set_release_path(PlannerInfo *root, RelOptInfo *rel, Index rti,
				 RangeTblEntry *rte)
{
	DpRelease *release;
	CustomPath *path;

	if (prev_set_rel_pathlist != NULL)
		prev_set_rel_pathlist(root, rel, rti, rte);
	release = find_release(rte);
	if (release == NULL || IS_DUMMY_REL(rel))
		return;

	path = makeNode(CustomPath);
	path->path.pathtype = T_CustomScan;
	path->path.parent = rel;
	path->path.pathtarget = rel->reltarget;
	path->path.param_info =
		get_baserel_parampathinfo(root, rel, rel->lateral_relids);

	/* Constants: an estimate from the table would tell of its rows. */
	path->path.rows = 1;
	path->path.startup_cost = 1000;
	path->path.total_cost = 1000;
	path->custom_private = list_make1(release);
	path->methods = &path_methods;
	rel->rows = 1;
	rel->pathlist = list_make1(path);
	rel->partial_pathlist = NIL;
}

/* Execution. */

/* Receives the inner statement's row. */
typedef struct RowReceiver
{
	DestReceiver pub;
	ReleaseState *state;
	MemoryContext context;
} RowReceiver;

static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	RowReceiver *receiver = (RowReceiver *) self;
	MemoryContext old = MemoryContextSwitchTo(receiver->context);
	int i;

	slot_getallattrs(slot);
	for (i = 0; i < slot->tts_tupleDescriptor->natts; i++)
	{
		Form_pg_attribute attribute =
			TupleDescAttr(slot->tts_tupleDescriptor, i);

		receiver->state->nulls[i] = slot->tts_isnull[i];
		if (!slot->tts_isnull[i])
			receiver->state->values[i] = datumCopy(
				slot->tts_values[i], attribute->attbyval, attribute->attlen);
	}
	MemoryContextSwitchTo(old);
	return true;
}

static void
ignore_startup(DestReceiver *self, int operation, TupleDesc descriptor)
{
	(void) self;
	(void) operation;
	(void) descriptor;
}

static void
ignore(DestReceiver *self)
{
	(void) self;
}

/*
 * Runs the aggregates once. What the server may show of running a statement
 * (buffers, messages, sort statistics) is kept back.
 */
static void
run_inner(ReleaseState *state)
{
	EState *estate = state->css.ss.ps.state;
	RowReceiver receiver = {.state = NULL};
	BufferUsage buffers = pgBufferUsage;
	WalUsage wal = pgWalUsage;
	int nest = NewGUCNestLevel();
	QueryDesc *query;

	(void) set_config_option("client_min_messages", "error", PGC_SUSET,
							 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	(void) set_config_option("track_counts", "off", PGC_SUSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
#ifdef TRACE_SORT
	(void) set_config_option("trace_sort", "off", PGC_SUSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
#endif
	receiver.pub.receiveSlot = receive_row;
	receiver.pub.rStartup = ignore_startup;
	receiver.pub.rShutdown = ignore;
	receiver.pub.rDestroy = ignore;
	receiver.pub.mydest = DestNone;
	receiver.state = state;
	receiver.context = estate->es_query_cxt;

	PushActiveSnapshot(estate->es_snapshot);
	query = CreateQueryDesc(copyObject(state->release->inner), "",
							GetActiveSnapshot(), InvalidSnapshot, &receiver.pub,
							estate->es_param_list_info, estate->es_queryEnv, 0);
	ExecutorStart(query, 0);
	ExecutorRun(query, ForwardScanDirection, 0, true);
	ExecutorFinish(query);
	ExecutorEnd(query);
	FreeQueryDesc(query);
	PopActiveSnapshot();
	AtEOXact_GUC(true, nest);
	pgBufferUsage = buffers;
	pgWalUsage = wal;
}

/* What one aggregate costs, from its arguments as of this execution. */
static void
price(ReleaseState *state, Aggref *aggref, DpCall *call)
{
	DpParameters parameters;

	memset(call, 0, sizeof(*call));
	if (!dp_call_aggregate_of(get_func_name(aggref->aggfnoid),
							  &call->aggregate))
		elog(ERROR, "not a private aggregate: %u", aggref->aggfnoid);
	dp_parameters_of(aggref, &state->css.ss.ps, 1, &parameters);
	dp_call_check(&parameters, call);
}

static void
make_charges(ReleaseState *state, DpCharge *charges)
{
	EState *estate = state->css.ss.ps.state;
	ListCell *cell;
	int i = 0;

	foreach (cell, state->release->aggregates)
	{
		Aggref *aggref = lfirst(cell);
		DpCharge *charge = &charges[i++];
		DpCall call;

		price(state, aggref, &call);
		charge->relation = state->release->relation;
		if (!dp_amount_from_double(call.epsilon_asked, &charge->epsilon) ||
			!dp_amount_from_double(call.choice.delta, &charge->delta))
			elog(ERROR, "epsilon or delta out of range");
		dp_gate_fingerprint(charge->relation, state->release->quals, aggref,
							estate->es_param_list_info, charge->fingerprint);
		strlcpy(charge->aggregate, dp_call_name(call.aggregate),
				sizeof(charge->aggregate));
		strlcpy(charge->mechanism, dp_mechanism_name(call.choice.mechanism),
				sizeof(charge->mechanism));
	}
}

/* Released values as text, to be stored for replay; not null. */
static void
make_answers(ReleaseState *state, DpCharge *charges, char **answers)
{
	ListCell *cell;
	int i = 0;

	foreach (cell, state->release->aggregates)
	{
		Oid output;
		bool varlena;

		getTypeOutputInfo(((Aggref *) lfirst(cell))->aggtype, &output,
						  &varlena);
		answers[i] = OidOutputFunctionCall(output, state->values[i]);
		charges[i].answer_size = (uint32) strlen(answers[i]);
		i++;
	}
}

static void
use_replays(ReleaseState *state, const DpChargeResult *results)
{
	ListCell *cell;
	int i = 0;

	foreach (cell, state->release->aggregates)
	{
		if (results[i].outcome == DP_OUTCOME_REPLAYED)
		{
			Oid input;
			Oid io_param;
			char *text = pnstrdup(results[i].answer, results[i].answer_size);

			getTypeInputInfo(((Aggref *) lfirst(cell))->aggtype, &input,
							 &io_param);
			state->values[i] = OidInputFunctionCall(input, text, io_param, -1);
			state->nulls[i] = false;
		}
		i++;
	}
}

/*
 * Asks the ledger first whether the statement may be answered, before any row
 * is read; then computes what must be computed; then charges, durably, with
 * the answers to replay; only then is the row there.
 */
static void
release_row(ReleaseState *state)
{
	int count = list_length(state->release->aggregates);
	MemoryContext old =
		MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);
	DpCharge *charges = palloc0(count * sizeof(DpCharge));
	DpChargeResult *results = palloc0(count * sizeof(DpChargeResult));
	char **answers = palloc0(count * sizeof(char *));
	bool fresh = false;
	int i;

	if (IsParallelWorker())
		elog(ERROR, "a DP Release cannot run in a parallel worker");
	make_charges(state, charges);
	dp_ledger_charge(charges, count, NULL, true, results);
	for (i = 0; i < count; i++)
		fresh |= results[i].outcome == DP_OUTCOME_CHARGED;
	if (fresh)
	{
		run_inner(state);
		make_answers(state, charges, answers);
		dp_ledger_charge(charges, count, answers, false, results);
	}
	use_replays(state, results);
	state->done = true;
	MemoryContextSwitchTo(old);
}

static TupleTableSlot *
next_row(ScanState *node)
{
	ReleaseState *state = (ReleaseState *) node;
	TupleTableSlot *slot = node->ss_ScanTupleSlot;
	int count = list_length(state->release->aggregates);

	if (!state->done)
		release_row(state);
	ExecClearTuple(slot);
	if (state->returned)
		return slot;
	state->returned = true;
	memcpy(slot->tts_values, state->values, count * sizeof(Datum));
	memcpy(slot->tts_isnull, state->nulls, count * sizeof(bool));
	return ExecStoreVirtualTuple(slot);
}

static bool
recheck(ScanState *node, TupleTableSlot *slot)
{
	(void) node;
	(void) slot;
	elog(ERROR, "a DP Release cannot be rechecked");
	return false;
}

static void
begin(CustomScanState *node, EState *estate, int eflags)
{
	ReleaseState *state = (ReleaseState *) node;
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;
	int count;

	(void) estate;
	(void) eflags;
	state->release = linitial(scan->custom_private);
	count = list_length(state->release->aggregates);
	state->values = palloc0(count * sizeof(Datum));
	state->nulls = palloc0(count * sizeof(bool));
}

static TupleTableSlot *
execute(CustomScanState *node)
{
	return ExecScan(&node->ss, next_row, recheck);
}

static void
end(CustomScanState *node)
{
	(void) node; /* all memory is the query's */
}

static void
rescan(CustomScanState *node)
{
	((ReleaseState *) node)->returned = false;
	ExecScanReScan(&node->ss);
}

/* Per aggregate: mechanism and epsilon; their sum. Nothing of the data. */
static void
explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	ReleaseState *state = (ReleaseState *) node;
	DpAmount epsilon = {0};
	DpAmount delta = {0};
	char text[DP_AMOUNT_TEXT];
	ListCell *cell;
	List *lines = NIL;

	(void) ancestors;
	foreach (cell, state->release->aggregates)
	{
		DpCall call;
		DpAmount amount;

		price(state, lfirst(cell), &call);
		(void) dp_amount_from_double(call.epsilon_asked, &amount);
		epsilon = dp_amount_add(epsilon, amount);
		dp_amount_format(amount, text);
		lines = lappend(
			lines, psprintf("%s, mechanism %s, epsilon %s",
							dp_call_name(call.aggregate),
							dp_mechanism_name(call.choice.mechanism), text));
		(void) dp_amount_from_double(call.choice.delta, &amount);
		delta = dp_amount_add(delta, amount);
	}
	ExplainPropertyText("Protected Relation",
						get_rel_name(state->release->relation), es);
	ExplainPropertyList("Aggregates", lines, es);
	dp_amount_format(epsilon, text);
	ExplainPropertyText("Total Epsilon", text, es);
	dp_amount_format(delta, text);
	ExplainPropertyText("Total Delta", text, es);
}

static const CustomExecMethods exec_methods = {
	.CustomName = NODE_NAME,
	.BeginCustomScan = begin,
	.ExecCustomScan = execute,
	.EndCustomScan = end,
	.ReScanCustomScan = rescan,
	.ExplainCustomScan = explain,
};

static Node *
create_state(CustomScan *scan)
{
	ReleaseState *state =
		(ReleaseState *) newNode(sizeof(ReleaseState), T_CustomScanState);

	(void) scan;
	state->css.methods = &exec_methods;
	return (Node *) state;
}

void
dp_gate_release_init(void)
{
	RegisterExtensibleNodeMethods(&node_methods);
	RegisterCustomScanMethods(&scan_methods);
	prev_set_rel_pathlist = set_rel_pathlist_hook;
	set_rel_pathlist_hook = set_release_path;
}
