/*
 * true_states.c
 *		dp_noise.true_states(): what a query's noise would be added to.
 *
 * For tests of sensitivities: the inner statement as the gate makes it, with
 * all its bounds, but without final functions. It is not private, and only
 * superusers, who can read the rows anyway, may call it.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
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
#include "utils/tuplestore.h"

#include "gate/bound/bound.h"
#include "gate/read/question.h"
#include "gate/relations/picture.h"
#include "gate/relations/publics.h"
#include "gate/relations/role_rights.h"
#include "gate/release/table_copies.h"
#include "gate/run/inner_plan.h"
#include "gate/run/nodes/nodes.h"
#include "server/compat.h"
#include "server/compat_planner.h"
#include "server/search.h"

PG_FUNCTION_INFO_V1(dp_true_states);

/* Receives rows and returns them as arrays of texts. */
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

/*
 * What releases find for aggregates: any epsilon would do here, and no mechanism; in
 * place of a cap that is chosen the greatest. context: const DpBlock.
 */
static Node *
any_choice(Node *node, int depth, void *context)
{
	const DpBlock *block = context;

	(void) depth;
	if (!IsA(node, Param) || ((Param *) node)->paramkind != PARAM_EXTERN)
		return NULL;
	if (((Param *) node)->paramtype == TEXTOID)
		return (Node *) makeNullConst(TEXTOID, -1,
									  ((Param *) node)->paramcollid);
	if (((Param *) node)->paramtype == INT4OID)
		return (Node *) makeConst(
			INT4OID, -1, InvalidOid, sizeof(int32),
			Int32GetDatum((int32) block->outline.contribution.rows), false,
			true);
	return (Node *) makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8),
							  Float8GetDatum(1), false, FLOAT8PASSBYVAL);
}

/*
 * Replaces a private aggregate by the one that returns its state. Returns false, so
 * that all are visited.
 */
static bool
use_state(Node *node, void *context)
{
	Aggref *aggref = (Aggref *) node;
	Oid *types;
	int count;

	(void) context;
	if (!IsA(node, Aggref) ||
		aggref->aggfnoid == F_COUNT_) /* of the units that select a group */
		return false;
	(void) get_func_signature(aggref->aggfnoid, &types, &count);
	aggref->aggfnoid = LookupFuncName(
		list_make2(
			makeString("dp_noise"),
			makeString(psprintf("%s_state", get_func_name(aggref->aggfnoid)))),
		count, types, false);
	aggref->aggtype = get_func_rettype(aggref->aggfnoid);
	return false;
}

/* The only query of a text, or NULL. */
static Query *
query_of(const char *text)
{
	List *statements = pg_parse_query(text);
	List *queries = NIL;

	if (list_length(statements) == 1)
		queries = pg_analyze_and_rewrite_fixedparams(linitial(statements), text,
													 NULL, 0, NULL);
	return list_length(queries) == 1 ? linitial_node(Query, queries) : NULL;
}

/*
 * Makes a block's inner statement one that returns states. NULL: its units have one row
 * each, or it needs values that are found first.
 */
static Query *
return_states(const DpBlock *block)
{
	if (!block->outline.relations.several || block->outline.constants != NIL)
		return NULL;
	block->inner->targetList = (List *) dp_search_replace(
		(Node *) block->inner->targetList, any_choice, (void *) block);
	(void) dp_search_within((Node *) block->inner->targetList, use_state, NULL);
	return block->inner;
}

/* Takes a query apart, with all of its groupings. */
static void
split(Query *query, List **blocks, List **inner)
{
	DpPlanning planning = {.next_parameter = 1};

	if (query == NULL || query->commandType != CMD_SELECT ||
		!dp_publics_reads_protected(query))
		return;
	*blocks =
		dp_nodes_bound_question(&planning, dp_question_read(&planning, query));
	foreach_ptr (const DpBlock, block, *blocks)
		*inner = lappend(*inner, return_states(block));
}

/* Takes blocks apart, with a picture of the settings meanwhile. */
static void
split_blocks(const char *text, List **blocks, List **inner)
{
	DpPicture *picture = dp_picture_open();

	PG_TRY();
	{
		split(query_of(text), blocks, inner);
	}
	PG_FINALLY();
	{
		dp_picture_close(picture);
	}
	PG_END_TRY();
	if (*inner == NIL || list_member_ptr(*inner, NULL))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("not a query over privacy units of several rows"),
				 errhint("Write one SELECT over a protected relation whose "
						 "privacy unit is not unique.")));
}

static List *
plan_all(List *queries, const char *text)
{
	List *plans = NIL;
	ListCell *cell;

	foreach (cell, queries)
		plans = lappend(plans, dp_compat_plan_query(lfirst(cell), text, 0));
	return plans;
}

static PlannedStmt *
plan_inner(Query *query, void *text)
{
	return dp_compat_plan_query(query, text, CURSOR_OPT_PARALLEL_OK);
}

/* Returns the states of one block. */
static void
run_block(const char *text, const DpBlock *block, Query *inner,
		  StateReceiver *receiver)
{
	List *lookup_plans = plan_all(block->outline.lookups, text);
	DpHashed hashed = {NIL, NIL};
	const DpInnerPlanning planning = {plan_inner, unconstify(char *, text),
									  &block->outline.relations, &hashed};
	EState *estate = CreateExecutorState();
	DpTableCopies lookups;
	DpRights rights;

	estate->es_snapshot = GetActiveSnapshot();
	lookups = dp_table_copies_open_public(
		lookup_plans, block->outline.lookup_keys, &block->shapes, estate);
	dp_role_rights_begin(&rights,
						 dp_role_rights_reader(&block->outline.relations,
											   block->outline.copies));
	PG_TRY();
	{
		PlannedStmt *plan = dp_inner_plan(inner, &planning);
		List *copies = plan_all(block->outline.copies, text);
		QueryDesc *query;

		dp_table_copies_use(&lookups, estate);
		dp_table_copies_open_protected(copies, &block->outline.relations,
									   &lookups, estate);
		query =
			CreateQueryDesc(plan, text, GetActiveSnapshot(), InvalidSnapshot,
							&receiver->pub, NULL, estate->es_queryEnv, 0);
		ExecutorStart(query, 0);
		dp_compat_execute(query);
		ExecutorFinish(query);
		ExecutorEnd(query);
		FreeQueryDesc(query);
	}
	PG_FINALLY();
	{
		dp_role_rights_end(&rights);
	}
	PG_END_TRY();
	dp_table_copies_close(&lookups, estate);
	FreeExecutorState(estate);
}

/* (query text) -> setof text[] */
Datum
dp_true_states(PG_FUNCTION_ARGS)
{
	char *sql = text_to_cstring(PG_GETARG_TEXT_PP(0));
	StateReceiver receiver = {.result = (ReturnSetInfo *) fcinfo->resultinfo};
	List *blocks = NIL;
	List *inner = NIL;
	ListCell *block;
	ListCell *query;

	if (!superuser())
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("must be superuser to see true states")));
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	receiver.pub = *None_Receiver;
	receiver.pub.receiveSlot = receive_states;
	split_blocks(sql, &blocks, &inner);
	forboth (block, blocks, query, inner)
	{
		run_block(sql, lfirst(block), lfirst(query), &receiver);
	}
	return (Datum) 0;
}
