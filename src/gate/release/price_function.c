/*
 * price_function.c
 *		dp_noise.price(): what statements would cost, one after another.
 *
 * Each is analyzed and planned as EXPLAIN plans it, for whoever calls, with the
 * caller's own rights, and begins to be executed as EXPLAIN executes it: rows are
 * not read, nothing is charged, and what EXPLAIN refuses is refused. So whatever
 * code of somebody's runs here runs in EXPLAIN, too, with the same rights. A
 * statement that is refused is undone alone, as in a savepoint.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "rewrite/rewriteHandler.h"
#include "tcop/dest.h"
#include "tcop/tcopprot.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

#include "aggregates/describe.h"
#include "gate/read/rewrite_aggregate.h"
#include "gate/relations/role_rights.h"
#include "gate/release/batch.h"
#include "gate/release/explain_answer.h"
#include "gate/release/explain_bounds.h"
#include "gate/release/sub_query_values.h"
#include "ledger/numeric_amount.h"
#include "server/compat.h"
#include "server/compat_planner.h"

PG_FUNCTION_INFO_V1(dp_price);

/* The columns of the result. */
enum
{
	NUMBER,
	EPSILON,
	DELTA,
	RHO,
	ANSWER,
	REASON,
	HINT,
	ERRORS,
	EPSILON_LEFT,
	DELTA_LEFT,
	RHO_LEFT,
	COUNT
};

/* One statement. */
typedef struct Statement
{
	const char *sql;
	DpBatchPrice price;
	List *errors; /* texts, one an aggregate */
} Statement;

/* The queries of a statement, as EXPLAIN takes them out of it. */
static List *
queries_of(const char *sql)
{
	List *statements = pg_parse_query(sql);
	List *queries;
	Node *inner = NULL;
	const Query *first;

	if (list_length(statements) != 1)
		ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR),
						errmsg("a text must be one statement"),
						errhint("Write each statement as an argument.")));
	queries = pg_analyze_and_rewrite_fixedparams(linitial(statements), sql,
												 NULL, 0, NULL);
	if (list_length(queries) != 1 ||
		linitial_node(Query, queries)->commandType != CMD_UTILITY)
		return queries;

	/* What a table or a cursor is made of. */
	first = linitial_node(Query, queries);
	if (IsA(first->utilityStmt, CreateTableAsStmt))
		inner = ((CreateTableAsStmt *) first->utilityStmt)->query;
	else if (IsA(first->utilityStmt, DeclareCursorStmt))
		inner = ((DeclareCursorStmt *) first->utilityStmt)->query;
	if (inner == NULL || castNode(Query, inner)->commandType == CMD_UTILITY)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("only a query has a price"),
						errhint("Write the query itself.")));
	return QueryRewrite(castNode(Query, copyObject(inner)));
}

/* The expected error of each aggregate, as EXPLAIN shows it. */
static List *
errors_of(DpReleaseState *state)
{
	int count = list_length(state->outline->aggregates);
	bool awaits = dp_sub_query_values_are_awaited(state);
	List *errors = NIL;
	int aggno;

	for (aggno = 0; aggno < count; aggno++)
	{
		Aggref *aggref = list_nth(state->outline->aggregates, aggno);
		const char *error = "not known";

		if (!awaits || !dp_sub_query_values_are_named(state, (Node *) aggref))
		{
			DpDescription description;

			dp_terms_describe(&state->terms, aggno, &description);
			error = dp_explain_error_text(state, aggno, &description);
		}
		errors =
			lappend(errors, psprintf("%s: %s",
									 dp_rewrite_aggregate_name(aggref), error));
	}
	return errors;
}

/* Adds one query to the price of its statement. */
static void
price_query(DpPriceBatch *batch, Query *query, MemoryContext context,
			Statement *statement)
{
	PlannedStmt *plan =
		dp_compat_plan_query(query, statement->sql, CURSOR_OPT_PARALLEL_OK);
	QueryDesc *execution =
		CreateQueryDesc(plan, statement->sql, GetActiveSnapshot(),
						InvalidSnapshot, None_Receiver, NULL, NULL, 0);
	MemoryContext old;
	List *states;

	ExecutorStart(execution, EXEC_FLAG_EXPLAIN_ONLY);
	states = dp_release_states_of(execution->estate);
	if (states != NIL)
	{
		DpPrice price = dp_explain_answer_preview(execution->estate);

		old = MemoryContextSwitchTo(context);
		dp_batch_add(batch, &price,
					 ((const DpReleaseState *) linitial(states))->preview,
					 &statement->price);
		foreach_ptr (DpReleaseState, state, states)
			statement->errors =
				list_concat(statement->errors, errors_of(state));
		MemoryContextSwitchTo(old);
	}
	ExecutorEnd(execution);
	FreeQueryDesc(execution);
}

/* context: outlives the statement. */
static void
price_statement(DpPriceBatch *batch, MemoryContext context,
				Statement *statement)
{
	List *queries;

	PushActiveSnapshot(GetTransactionSnapshot());
	queries = queries_of(statement->sql);
	if (list_length(queries) > 1)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("rules make several statements of this one"),
						errhint("Write each as an argument.")));
	if (queries != NIL)
		price_query(batch, linitial_node(Query, queries), context, statement);
	PopActiveSnapshot();
}

/* Notes the error that a statement ended in. */
static void
note_error(const ErrorData *error, Statement *statement)
{
	memset(&statement->price, 0, sizeof(statement->price));
	statement->price.answer = DP_BATCH_REFUSED;
	statement->price.reason = error->message;
	statement->price.hint = error->hint;
	statement->errors = NIL;
}

/* The same, with what it refuses undone. False where there is no price at all. */
static bool
try_statement(DpPriceBatch *batch, MemoryContext context, Statement *statement)
{
	ResourceOwner owner = CurrentResourceOwner;
	volatile bool has_price = true;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		price_statement(batch, context, statement);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		ErrorData *error;

		/* Whatever the error is, the subtransaction ends before it goes on. */
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
		MemoryContextSwitchTo(context);
		CurrentResourceOwner = owner;

		/* A cancellation or a failure of the server's ends all of it. */
		if (error->sqlerrcode == ERRCODE_QUERY_CANCELED ||
			ERRCODE_TO_CATEGORY(error->sqlerrcode) ==
				ERRCODE_OPERATOR_INTERVENTION ||
			ERRCODE_TO_CATEGORY(error->sqlerrcode) == ERRCODE_INTERNAL_ERROR)
			ReThrowError(error);
		note_error(error, statement);
		has_price = false;
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	return has_price;
}

static Datum
array_of(List *texts)
{
	Datum *elements = palloc(Max(list_length(texts), 1) * sizeof(Datum));

	foreach_ptr (const char, text, texts)
		elements[foreach_current_index(text)] = CStringGetTextDatum(text);
	return PointerGetDatum(construct_array(elements, list_length(texts),
										   TEXTOID, -1, false, TYPALIGN_INT));
}

static void
put_text(int column, const char *text, Datum *values, bool *nulls)
{
	nulls[column] = text == NULL;
	if (text != NULL)
		values[column] = CStringGetTextDatum(text);
}

static void
put_amount(int column, bool is_there, DpAmount amount, Datum *values,
		   bool *nulls)
{
	nulls[column] = !is_there;
	if (is_there)
		values[column] = dp_numeric_of_amount(amount);
}

static void
put_row(int number, const Statement *statement, bool has_price,
		ReturnSetInfo *rsinfo)
{
	const DpBatchPrice *price = &statement->price;
	bool is_known = has_price && price->answer != DP_BATCH_UNKNOWN;
	bool has_left = price->is_pure || price->is_zcdp;
	Datum values[COUNT] = {0};
	bool nulls[COUNT] = {false};

	values[NUMBER] = Int32GetDatum(number);
	put_amount(EPSILON, is_known, price->epsilon, values, nulls);
	put_amount(DELTA, is_known, price->delta, values, nulls);
	put_amount(RHO, is_known && price->is_zcdp, price->rho, values, nulls);
	put_text(ANSWER, dp_batch_answer_text(price->answer), values, nulls);
	put_text(REASON, price->reason, values, nulls);
	put_text(HINT, price->hint, values, nulls);
	values[ERRORS] = array_of(statement->errors);
	put_amount(EPSILON_LEFT, price->is_pure, price->epsilon_left, values,
			   nulls);
	put_amount(DELTA_LEFT, has_left, price->delta_left, values, nulls);
	put_amount(RHO_LEFT, price->is_zcdp, price->rho_left, values, nulls);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/*
 * (VARIADIC sql text[]) -> number, epsilon, delta, rho, answer, reason, hint, errors,
 * epsilon_left, delta_left, rho_left
 */
Datum
dp_price(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	DpPriceBatch batch = {.context = CurrentMemoryContext};
	MemoryContext context;
	Datum *texts;
	bool *nulls;
	int count;
	int i;

	dp_role_rights_refuse_nested();
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(0), TEXTOID, -1, false,
					  TYPALIGN_INT, &texts, &nulls, &count);
	context = AllocSetContextCreate(CurrentMemoryContext, "dp_noise price",
									ALLOCSET_DEFAULT_SIZES);
	for (i = 0; i < count; i++)
	{
		Statement statement = {0};
		MemoryContext old = MemoryContextSwitchTo(context);
		bool has_price;

		CHECK_FOR_INTERRUPTS();
		statement.sql = nulls[i] ? "" : TextDatumGetCString(texts[i]);
		has_price = try_statement(&batch, context, &statement);
		put_row(i + 1, &statement, has_price, rsinfo);
		MemoryContextSwitchTo(old);
		MemoryContextReset(context);
	}
	MemoryContextDelete(context);
	return (Datum) 0;
}
