/*
 * true_states.c
 *		dp_noise.true_states(): what a query's noise would be added to.
 *
 * For tests of sensitivities: the inner statement as the gate makes it, with
 * all its bounds, and its final functions left out. It is not private, and for
 * superusers alone, who can read the rows anyway.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/analyze.h"
#include "parser/parse_func.h"
#include "tcop/dest.h"
#include "tcop/tcopprot.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

#include "gate/question/block.h"
#include "gate/question/relations/picture.h"
#include "gate/question/relations/rights.h"
#include "gate/release/lookup_rows.h"
#include "server/compat.h"

PG_FUNCTION_INFO_V1(dp_true_states);

/* Receives rows, and puts them out as arrays of texts. */
typedef struct StateReceiver
{
	DestReceiver pub;
	ReturnSetInfo *result;
} StateReceiver;

static bool
receive_states(TupleTableSlot *slot, DestReceiver *self)
{
	StateReceiver *receiver = (StateReceiver *) self;
	TupleDesc descriptor = slot->tts_tupleDescriptor;
	Datum *texts = palloc(descriptor->natts * sizeof(Datum));
	bool *nulls = palloc(descriptor->natts * sizeof(bool));
	int lower = 1;
	Datum array;
	bool isnull = false;
	int i;

	slot_getallattrs(slot);
	for (i = 0; i < descriptor->natts; i++)
	{
		Oid output;
		bool varlena;

		nulls[i] = slot->tts_isnull[i];
		if (nulls[i])
			continue;
		getTypeOutputInfo(TupleDescAttr(descriptor, i)->atttypid, &output,
						  &varlena);
		texts[i] = CStringGetTextDatum(
			OidOutputFunctionCall(output, slot->tts_values[i]));
	}
	array = PointerGetDatum(
		construct_md_array(texts, nulls, 1, &descriptor->natts, &lower, TEXTOID,
						   -1, false, TYPALIGN_INT));
	tuplestore_putvalues(receiver->result->setResult, receiver->result->setDesc,
						 &array, &isnull);
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

/* The aggregates over units, without their final functions. */
static Node *
leave_out_noise(Node *node, void *context)
{
	Aggref *aggref;
	Oid *types;
	int count;

	if (node == NULL)
		return NULL;
	if (!IsA(node, Aggref))
		return expression_tree_mutator(node, leave_out_noise, context);
	aggref = (Aggref *) copyObject(node);
	if (aggref->aggfnoid == F_COUNT_)
		return (Node *) aggref; /* of the units that select a group */
	(void) get_func_signature(aggref->aggfnoid, &types, &count);
	aggref->aggfnoid = LookupFuncName(
		list_make2(
			makeString("dp_noise"),
			makeString(psprintf("%s_state", get_func_name(aggref->aggfnoid)))),
		count, types, false);
	aggref->aggtype = get_func_rettype(aggref->aggfnoid);
	return (Node *) aggref;
}

/*
 * The inner statement of a text that is one block over a protected relation.
 * block: of it, for the joined tables that it reads.
 */
static Query *
inner_of(const char *text, DpBlock *block)
{
	List *statements = pg_parse_query(text);
	List *queries;
	Query *query;

	if (list_length(statements) == 1)
	{
		queries = pg_analyze_and_rewrite_fixedparams(linitial(statements), text,
													 NULL, 0, NULL);
		query =
			list_length(queries) == 1 ? linitial_node(Query, queries) : NULL;
		if (query != NULL && query->commandType == CMD_SELECT &&
			dp_gate_block_is_protected(query))
		{
			dp_gate_block_split(query, 0, block);
			if (block->subjects.several && block->constants == NIL)
			{
				block->inner->targetList = (List *) leave_out_noise(
					(Node *) block->inner->targetList, NULL);
				return block->inner;
			}
		}
	}
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("not a query over privacy units of several rows"),
			 errhint("Write one SELECT over a protected relation whose privacy "
					 "unit is not unique.")));
}

/* The same, with a picture of the settings while it is made. */
static Query *
pictured_inner_of(const char *text, DpBlock *block)
{
	DpPicture *picture = dp_gate_open_picture();
	Query *volatile result = NULL;

	PG_TRY();
	{
		result = inner_of(text, block);
	}
	PG_FINALLY();
	{
		dp_gate_close_picture(picture);
	}
	PG_END_TRY();
	return result;
}

static List *
plan_all(List *queries, const char *text)
{
	List *plans = NIL;
	ListCell *cell;

	foreach (cell, queries)
		plans = lappend(plans, pg_plan_query(lfirst(cell), text, 0, NULL));
	return plans;
}

/* (query text) -> setof text[] */
Datum
dp_true_states(PG_FUNCTION_ARGS)
{
	char *sql = text_to_cstring(PG_GETARG_TEXT_PP(0));
	StateReceiver receiver = {.result = (ReturnSetInfo *) fcinfo->resultinfo};
	EState *estate;
	DpBlock block;
	DpLookupRows lookups;
	DpRights rights;
	List *lookup_plans;
	Query *inner;

	if (!superuser())
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("must be superuser to see true states")));
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	receiver.pub.receiveSlot = receive_states;
	receiver.pub.rStartup = ignore_startup;
	receiver.pub.rShutdown = ignore;
	receiver.pub.rDestroy = ignore;
	receiver.pub.mydest = DestNone;

	inner = pictured_inner_of(sql, &block);
	lookup_plans = plan_all(block.lookups, sql);
	estate = CreateExecutorState();
	estate->es_snapshot = GetActiveSnapshot();
	lookups = dp_gate_open_lookups(lookup_plans, block.lookup_keys,
								   &block.shapes, estate);
	dp_gate_begin_rights(&rights,
						 dp_gate_reader(&block.subjects, block.copies));
	PG_TRY();
	{
		PlannedStmt *plan =
			pg_plan_query(inner, sql, CURSOR_OPT_PARALLEL_OK, NULL);
		List *copies = plan_all(block.copies, sql);
		QueryDesc *query;

		dp_gate_use_lookups(&lookups, estate);
		dp_gate_open_copies(copies, &block.subjects, &lookups, estate);
		query = CreateQueryDesc(plan, sql, GetActiveSnapshot(), InvalidSnapshot,
								&receiver.pub, NULL, estate->es_queryEnv, 0);
		ExecutorStart(query, 0);
		dp_compat_execute(query);
		ExecutorFinish(query);
		ExecutorEnd(query);
		FreeQueryDesc(query);
	}
	PG_FINALLY();
	{
		dp_gate_end_rights(&rights);
	}
	PG_END_TRY();
	dp_gate_close_lookups(&lookups, estate);
	FreeExecutorState(estate);
	return (Datum) 0;
}
