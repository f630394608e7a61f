/*
 * store.c
 *		The decision about each request, and the rows it leaves.
 *
 * Every SQL text here is fully qualified and runs with the search path that
 * the worker sets for itself.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "executor/spi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "ledger/store.h"

typedef enum OnRepeat
{
	ON_REPEAT_REFUSE, /* the strictest first */
	ON_REPEAT_REPLAY,
	ON_REPEAT_ANSWER
} OnRepeat;

/* A row of dp_noise.budget_entry. */
typedef struct Budget
{
	int64 budget_id;
	int role_id; /* 0: the table's total */
	Oid role;	 /* InvalidOid: the total, or a role now gone */
	bool shared;
	bool limited;	  /* false: spent is recorded, nothing refused */
	DpAmount epsilon; /* granted */
	DpAmount delta;
	DpAmount epsilon_spent;
	DpAmount delta_spent;
	bool per_query_limited;
	DpAmount max_epsilon_per_query;
	OnRepeat on_repeat;
	bool periodic; /* false: one period, without beginning or end */
	TimestampTz period_start;
	bool renewed; /* a new period has begun */
	bool dirty;
} Budget;

/* A protected relation and its budgets, read once a batch. */
typedef struct StoreRelation
{
	Oid oid;
	int relation_id;
	char *name;
	List *budgets; /* of Budget, active ones */
	List *loaded;  /* role_ids whose budgets are in it */
} StoreRelation;

/* A role that pays, likewise. */
typedef struct StoreRole
{
	Oid oid;
	int role_id;
	char *name;
} StoreRole;

typedef struct Batch
{
	List *relations;
	List *roles;
	MemoryContext context;
} Batch;

/* Statements, prepared at first use and kept while the worker lives. */
typedef enum Statement
{
	FIND_RELATION,
	RESTORE_RELATION, /* after a restore from a dump */
	FIND_ROLE,
	MAKE_ROLE,
	SELECT_BUDGETS,
	SELECT_ANSWER,
	UPDATE_BUDGET,
	INSERT_LEDGER,
	INSERT_ANSWER,
	STATEMENT_COUNT
} Statement;

typedef struct StatementText
{
	const char *text;
	int nargs;
	Oid types[8];
} StatementText;

static const StatementText statements[STATEMENT_COUNT] = {
	[FIND_RELATION] =
		{"SELECT r.relation_id, c.relname::text FROM dp_noise.identity AS i"
		 " JOIN dp_noise.relation_entry AS r ON r.relation_id = i.id"
		 " JOIN pg_catalog.pg_class AS c ON c.oid = i.object"
		 " WHERE i.class = 'pg_catalog.pg_class'::pg_catalog.regclass"
		 " AND i.object = $1 AND r.is_protected",
		 1,
		 {OIDOID}},
	[RESTORE_RELATION] =
		{"SELECT relation_id, name FROM dp_noise.find_relation($1)",
		 1,
		 {OIDOID}},
	[FIND_ROLE] = {"SELECT id FROM dp_noise.identity"
				   " WHERE class = 'pg_catalog.pg_authid'::pg_catalog.regclass"
				   " AND object = $1",
				   1,
				   {OIDOID}},
	[MAKE_ROLE] = {"SELECT dp_noise.find_role($1, true)", 1, {OIDOID}},
	[SELECT_BUDGETS] =
		{"SELECT b.budget_id, b.role_id, i.object, b.shared, b.epsilon::text,"
		 " b.delta::text, b.epsilon_spent::text, b.delta_spent::text,"
		 " b.max_epsilon_per_query::text, b.on_repeat,"
		 " CASE WHEN b.period IS NULL THEN b.period_start"
		 " ELSE dp_noise.period_begin(b.period_start, b.period,"
		 " pg_catalog.clock_timestamp()) END, b.period_start, b.period IS NOT "
		 "NULL"
		 " FROM dp_noise.budget_entry AS b"
		 " LEFT JOIN dp_noise.identity AS i"
		 " ON i.class = 'pg_catalog.pg_authid'::pg_catalog.regclass"
		 " AND i.id = b.role_id"
		 " WHERE b.relation_id = $1 AND b.is_active"
		 " AND CASE WHEN $2 = 0 THEN b.shared ELSE b.role_id = $2 AND NOT "
		 "b.shared"
		 " END",
		 2,
		 {INT4OID, INT4OID}},
	[SELECT_ANSWER] =
		{"SELECT answer FROM dp_noise.answer_entry"
		 " WHERE role_id = $1 AND relation_id = $2 AND fingerprint = $3"
		 " AND asked_at >= $4",
		 4,
		 {INT4OID, INT4OID, BYTEAOID, TIMESTAMPTZOID}},
	[UPDATE_BUDGET] =
		{"UPDATE dp_noise.budget_entry SET epsilon_spent = $2::numeric,"
		 " delta_spent = $3::numeric, period_start = $4 WHERE budget_id = $1",
		 4,
		 {INT8OID, TEXTOID, TEXTOID, TIMESTAMPTZOID}},
	[INSERT_LEDGER] =
		{"INSERT INTO dp_noise.ledger_entry (role_id, relation_id, epsilon,"
		 " delta, fingerprint, aggregate, mechanism)"
		 " VALUES ($1, $2, $3::numeric, $4::numeric, $5, $6, $7)",
		 7,
		 {INT4OID, INT4OID, TEXTOID, TEXTOID, BYTEAOID, TEXTOID, TEXTOID}},
	[INSERT_ANSWER] =
		{"INSERT INTO dp_noise.answer_entry AS a"
		 " (role_id, relation_id, fingerprint, answer) VALUES ($1, $2, $3, $4)"
		 " ON CONFLICT (role_id, relation_id, fingerprint) DO UPDATE"
		 " SET answer = EXCLUDED.answer, asked_at = EXCLUDED.asked_at",
		 4,
		 {INT4OID, INT4OID, BYTEAOID, BYTEAOID}},
};

static SPIPlanPtr plans[STATEMENT_COUNT];

static void
execute(Statement statement, Datum *values, const char *nulls)
{
	const StatementText *s = &statements[statement];

	if (plans[statement] == NULL)
	{
		SPIPlanPtr plan = SPI_prepare(s->text, s->nargs, (Oid *) s->types);

		if (plan == NULL)
			elog(ERROR, "could not prepare a statement of the ledger: %s",
				 SPI_result_code_string(SPI_result));
		SPI_keepplan(plan);
		plans[statement] = plan;
	}
	if (SPI_execute_plan(plans[statement], values, nulls, false, 0) < 0)
		elog(ERROR, "could not execute a statement of the ledger");
}

/* A column of the first, or given, row of the last result. */
static Datum
column(uint64 row, int number, bool *isnull)
{
	return SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, number,
						 isnull);
}

/* An amount column; false for NULL. Grants are rounded down, all else up. */
static bool
amount_column(uint64 row, int number, bool up, DpAmount *amount)
{
	char *text =
		SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, number);

	amount->units = 0;
	if (text == NULL)
		return false;
	if (!dp_amount_parse(text, up, amount))
		elog(ERROR, "invalid amount \"%s\" in the ledger", text);
	return true;
}

static Datum
amount_datum(DpAmount amount)
{
	char text[DP_AMOUNT_TEXT];

	dp_amount_format(amount, text);
	return CStringGetTextDatum(text);
}

static Datum
bytes_datum(const void *bytes, Size size)
{
	bytea *result = palloc(VARHDRSZ + size);

	SET_VARSIZE(result, VARHDRSZ + size);
	memcpy(VARDATA(result), bytes, size);
	return PointerGetDatum(result);
}

/* Makes a refusal of a request; later ones do not replace it. */
static void pg_attribute_printf(3, 4)
	refuse(DpReply *reply, int sqlstate, const char *message, ...)
{
	va_list args;

	reply->sqlstate = sqlstate;
	va_start(args, message);
	vsnprintf(reply->message, sizeof(reply->message), message, args);
	va_end(args);
}

#define set_detail(reply, ...) \
	snprintf((reply)->detail, sizeof((reply)->detail), __VA_ARGS__)
#define set_hint(reply, ...) \
	snprintf((reply)->hint, sizeof((reply)->hint), __VA_ARGS__)

static OnRepeat
on_repeat_from_text(const char *text)
{
	if (strcmp(text, "replay") == 0)
		return ON_REPEAT_REPLAY;
	return strcmp(text, "answer") == 0 ? ON_REPEAT_ANSWER : ON_REPEAT_REFUSE;
}

static Budget *
read_budget(uint64 row)
{
	Budget *b = palloc0(sizeof(Budget));
	bool isnull;
	Datum begin;

	b->budget_id = DatumGetInt64(column(row, 1, &isnull));
	b->role_id = DatumGetInt32(column(row, 2, &isnull));
	if (isnull)
		b->role_id = 0;
	b->role = DatumGetObjectId(column(row, 3, &isnull));
	if (isnull)
		b->role = InvalidOid;
	b->shared = DatumGetBool(column(row, 4, &isnull));
	b->limited = amount_column(row, 5, false, &b->epsilon);
	(void) amount_column(row, 6, false, &b->delta);
	(void) amount_column(row, 7, true, &b->epsilon_spent);
	(void) amount_column(row, 8, true, &b->delta_spent);
	b->per_query_limited =
		amount_column(row, 9, false, &b->max_epsilon_per_query);
	b->on_repeat = on_repeat_from_text(
		SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, 10));
	begin = column(row, 11, &isnull);
	b->period_start = DatumGetTimestampTz(column(row, 12, &isnull));
	b->periodic = DatumGetBool(column(row, 13, &isnull));
	if (DatumGetTimestampTz(begin) > b->period_start)
	{
		b->renewed = true;
		b->period_start = DatumGetTimestampTz(begin);
		b->epsilon_spent.units = 0;
		b->delta_spent.units = 0;
	}
	return b;
}

/*
 * Adds to a relation the active budgets of a role, or with role_id 0 those
 * that any role may share, the table's total among them.
 */
static void
load_budgets(Batch *batch, StoreRelation *relation, int role_id)
{
	MemoryContext old;
	Datum values[2];
	uint64 row;

	if (list_member_int(relation->loaded, role_id))
		return;
	values[0] = Int32GetDatum(relation->relation_id);
	values[1] = Int32GetDatum(role_id);
	execute(SELECT_BUDGETS, values, NULL);
	old = MemoryContextSwitchTo(batch->context);
	for (row = 0; row < SPI_processed; row++)
		relation->budgets = lappend(relation->budgets, read_budget(row));
	relation->loaded = lappend_int(relation->loaded, role_id);
	MemoryContextSwitchTo(old);
}

/* The relation of a charge, or NULL when it is not protected. */
static StoreRelation *
find_relation(Batch *batch, Oid oid)
{
	StoreRelation *relation;
	ListCell *cell;
	Datum values[1];
	bool isnull;
	MemoryContext old;

	foreach (cell, batch->relations)
	{
		relation = lfirst(cell);
		if (relation->oid == oid)
			return relation;
	}
	values[0] = ObjectIdGetDatum(oid);
	execute(FIND_RELATION, values, NULL);
	if (SPI_processed == 0)
		execute(RESTORE_RELATION, values, NULL);
	if (SPI_processed == 0)
		return NULL;

	old = MemoryContextSwitchTo(batch->context);
	relation = palloc0(sizeof(StoreRelation));
	relation->oid = oid;
	relation->relation_id = DatumGetInt32(column(0, 1, &isnull));
	relation->name =
		SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 2);
	MemoryContextSwitchTo(old);

	load_budgets(batch, relation, 0);
	old = MemoryContextSwitchTo(batch->context);
	batch->relations = lappend(batch->relations, relation);
	MemoryContextSwitchTo(old);
	return relation;
}

static StoreRole *
find_role(Batch *batch, Oid oid)
{
	StoreRole *role;
	ListCell *cell;
	Datum values[1];
	bool isnull;
	MemoryContext old;

	foreach (cell, batch->roles)
	{
		role = lfirst(cell);
		if (role->oid == oid)
			return role;
	}
	values[0] = ObjectIdGetDatum(oid);
	execute(FIND_ROLE, values, NULL);
	if (SPI_processed == 0)
		execute(MAKE_ROLE, values, NULL);
	old = MemoryContextSwitchTo(batch->context);
	role = palloc0(sizeof(StoreRole));
	role->oid = oid;
	role->role_id = DatumGetInt32(column(0, 1, &isnull));
	role->name = GetUserNameFromId(oid, false);
	batch->roles = lappend(batch->roles, role);
	MemoryContextSwitchTo(old);
	return role;
}

/* Owner and superuser need no budget of their own. */
static bool
is_privileged(Oid role, Oid relation)
{
	return superuser_arg(role) || pg_class_ownercheck(relation, role);
}

/* The active budgets that a charge of this role on this relation lands on. */
static List *
budgets_that_pay(Batch *batch, StoreRelation *relation, StoreRole *role,
				 bool *has_own)
{
	List *result = NIL;
	ListCell *cell;

	load_budgets(batch, relation, role->role_id);
	*has_own = false;
	foreach (cell, relation->budgets)
	{
		Budget *b = lfirst(cell);
		bool own = b->role_id != 0 && b->role_id == role->role_id;
		bool group = b->role_id != 0 && !own && b->shared &&
					 OidIsValid(b->role) &&
					 is_member_of_role_nosuper(role->oid, b->role);

		if (own || group)
			*has_own = true;
		if (own || group || b->role_id == 0)
			result = lappend(result, b);
	}
	return result;
}

/*
 * The rule for repeated questions, and since when they count: the role's own
 * budget's; otherwise the strictest rule of its groups', since the earliest of
 * their periods.
 */
static OnRepeat
repeat_rule(List *budgets, StoreRole *role, TimestampTz *since)
{
	OnRepeat rule = ON_REPEAT_ANSWER;
	ListCell *cell;

	*since = DT_NOEND;
	foreach (cell, budgets)
	{
		Budget *b = lfirst(cell);
		TimestampTz start = b->periodic ? b->period_start : DT_NOBEGIN;

		if (b->role_id == role->role_id)
		{
			*since = start;
			return b->on_repeat;
		}
		if (b->role_id == 0 || b->on_repeat == ON_REPEAT_ANSWER)
			continue;
		rule = Min(rule, b->on_repeat);
		*since = Min(*since, start);
	}
	return rule;
}

/* Refuses when a budget cannot bear these sums; nothing is changed yet. */
static bool
suffices(const Budget *b, const StoreRelation *relation, DpAmount epsilon,
		 DpAmount delta, DpReply *reply)
{
	DpAmount epsilon_left = dp_amount_left(b->epsilon, b->epsilon_spent);
	DpAmount delta_left = dp_amount_left(b->delta, b->delta_spent);
	char asked[DP_AMOUNT_TEXT];
	char left[DP_AMOUNT_TEXT];
	const char *whose = b->role_id == 0 ? "the table's total"
						: b->shared		? "a shared budget"
										: "your budget";

	if (b->per_query_limited &&
		dp_amount_compare(epsilon, b->max_epsilon_per_query) > 0)
	{
		dp_amount_format(epsilon, asked);
		dp_amount_format(b->max_epsilon_per_query, left);
		refuse(reply, ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
			   "query on \"%s\" asks for too much epsilon at once",
			   relation->name);
		set_detail(reply, "It asks for %s; %s allows %s a query.", asked, whose,
				   left);
		set_hint(reply,
				 "Ask for fewer aggregates, or set dp_noise.epsilon lower.");
		return false;
	}
	if (!b->limited)
		return true;
	if (dp_amount_compare(epsilon, epsilon_left) > 0)
	{
		dp_amount_format(epsilon, asked);
		dp_amount_format(epsilon_left, left);
		refuse(reply, ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
			   "privacy budget for \"%s\" does not suffice", relation->name);
		set_detail(reply, "The query asks for epsilon %s; %s has %s left.",
				   asked, whose, left);
		set_hint(reply, "See dp_budget for what is left; ask for less epsilon, "
						"or ask the owner for more.");
		return false;
	}
	if (dp_amount_compare(delta, delta_left) > 0)
	{
		dp_amount_format(delta, asked);
		dp_amount_format(delta_left, left);
		refuse(reply, ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
			   "privacy budget for \"%s\" does not suffice", relation->name);
		set_detail(reply, "The query asks for delta %s; %s has %s left.", asked,
				   whose, left);
		set_hint(reply, "See dp_budget for what is left; use a mechanism that "
						"needs no delta, or ask the owner for more.");
		return false;
	}
	return true;
}

/* True when an earlier charge of the request is for the same question. */
static bool
asked_twice(const DpStoreRequest *request, uint32 number)
{
	const DpCharge *charge = &request->charges[number];
	uint32 i;

	for (i = 0; i < number; i++)
	{
		if (request->charges[i].relation == charge->relation &&
			memcmp(request->charges[i].fingerprint, charge->fingerprint,
				   DP_FINGERPRINT_SIZE) == 0)
			return true;
	}
	return false;
}

/*
 * Looks whether a question was asked before. True when it may go on: to be
 * charged, or replayed.
 */
static bool
check_repeat(DpStoreRequest *request, uint32 number, StoreRelation *relation,
			 StoreRole *role, OnRepeat rule, TimestampTz since)
{
	DpCharge *charge = &request->charges[number];
	Datum values[4];
	Datum answer;
	bool isnull;

	request->outcomes[number].outcome = DP_OUTCOME_CHARGED;
	if (rule == ON_REPEAT_ANSWER)
		return true;
	if (asked_twice(request, number))
	{
		refuse(&request->reply, ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
			   "the statement asks the same question about \"%s\" twice",
			   relation->name);
		set_hint(&request->reply,
				 "Ask it once, in a CTE, and use the answer twice.");
		return false;
	}
	values[0] = Int32GetDatum(role->role_id);
	values[1] = Int32GetDatum(relation->relation_id);
	values[2] = bytes_datum(charge->fingerprint, DP_FINGERPRINT_SIZE);
	values[3] = TimestampTzGetDatum(since);
	execute(SELECT_ANSWER, values, NULL);
	if (SPI_processed == 0)
		return true;
	answer = column(0, 1, &isnull);
	if (rule == ON_REPEAT_REFUSE || isnull)
	{
		refuse(&request->reply, ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
			   "this question about \"%s\" was answered before",
			   relation->name);
		set_detail(
			&request->reply,
			"%s with the same conditions has an answer already; a second one "
			"with fresh noise would tell more than the budget says.",
			charge->aggregate);
		set_hint(&request->reply, "Use the first answer, or ask the owner for "
								  "on_repeat => 'replay' or 'answer'.");
		return false;
	}
	else
	{
		struct varlena *stored = PG_DETOAST_DATUM(answer);
		Size size = VARSIZE(stored) - VARHDRSZ;

		request->outcomes[number].outcome = DP_OUTCOME_REPLAYED;
		request->outcomes[number].answer_size = (uint32) size;
		request->replays[number] =
			MemoryContextAlloc(request->context, Max(size, 1));
		memcpy(request->replays[number], VARDATA(stored), size);
	}
	return true;
}

/* Records one charge: a ledger row and, for the repeat rule, the question. */
static void
record(DpStoreRequest *request, uint32 number, StoreRelation *relation,
	   StoreRole *role)
{
	DpCharge *charge = &request->charges[number];
	Datum fingerprint = bytes_datum(charge->fingerprint, DP_FINGERPRINT_SIZE);
	Datum values[7];

	values[0] = Int32GetDatum(role->role_id);
	values[1] = Int32GetDatum(relation->relation_id);
	values[2] = amount_datum(charge->epsilon);
	values[3] = amount_datum(charge->delta);
	values[4] = fingerprint;
	values[5] = CStringGetTextDatum(charge->aggregate);
	values[6] = CStringGetTextDatum(charge->mechanism);
	execute(INSERT_LEDGER, values, NULL);

	values[2] = fingerprint;
	if (request->answers[number] != NULL)
		values[3] = bytes_datum(request->answers[number], charge->answer_size);
	execute(INSERT_ANSWER, values,
			request->answers[number] != NULL ? NULL : "   n");
}

/* Sum of what a request newly charges on one relation. */
static void
sum_charges(const DpStoreRequest *request, Oid relation, DpAmount *epsilon,
			DpAmount *delta)
{
	uint32 i;

	epsilon->units = delta->units = 0;
	for (i = 0; i < request->header.count; i++)
	{
		if (request->charges[i].relation != relation ||
			request->outcomes[i].outcome != DP_OUTCOME_CHARGED)
			continue;
		*epsilon = dp_amount_add(*epsilon, request->charges[i].epsilon);
		*delta = dp_amount_add(*delta, request->charges[i].delta);
	}
}

/* True when an earlier charge of the request is on the same relation. */
static bool
seen_before(const DpStoreRequest *request, uint32 number)
{
	uint32 i;

	for (i = 0; i < number; i++)
	{
		if (request->charges[i].relation == request->charges[number].relation)
			return true;
	}
	return false;
}

/* Room that the reply needs. */
static Size
reply_size(const DpStoreRequest *request)
{
	Size size =
		sizeof(DpReply) + request->header.count * sizeof(DpOutcomeEntry);
	uint32 i;

	for (i = 0; i < request->header.count; i++)
		size += request->outcomes[i].answer_size;
	return size;
}

/* Decides about one request and, unless it is refused, applies it. */
static void
apply(Batch *batch, DpStoreRequest *request)
{
	StoreRole *role;
	StoreRelation **relations;
	List **budgets;
	uint32 count = request->header.count;
	uint32 i;

	memset(request->outcomes, 0, count * sizeof(DpOutcomeEntry));
	if (!SearchSysCacheExists1(AUTHOID, ObjectIdGetDatum(request->header.role)))
	{
		refuse(&request->reply, ERRCODE_UNDEFINED_OBJECT,
			   "the role that pays does not exist");
		return;
	}
	role = find_role(batch, request->header.role);
	relations = palloc(count * sizeof(StoreRelation *));
	budgets = palloc(count * sizeof(List *));

	for (i = 0; i < count; i++)
	{
		bool has_own;
		OnRepeat rule;
		TimestampTz since;

		relations[i] = find_relation(batch, request->charges[i].relation);
		if (relations[i] == NULL)
		{
			refuse(&request->reply, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
				   "relation is not protected by dp_noise");
			set_hint(&request->reply,
					 "The owner protects a relation with dp_noise.protect().");
			return;
		}
		budgets[i] = budgets_that_pay(batch, relations[i], role, &has_own);
		if (!has_own && !is_privileged(role->oid, relations[i]->oid))
		{
			refuse(&request->reply, ERRCODE_INSUFFICIENT_PRIVILEGE,
				   "role \"%s\" has no privacy budget for \"%s\"", role->name,
				   relations[i]->name);
			set_hint(&request->reply,
					 "The owner grants one with dp_noise.set_budget().");
			return;
		}
		rule = repeat_rule(budgets[i], role, &since);
		if (!check_repeat(request, i, relations[i], role, rule, since))
			return;
	}

	/* First whether all budgets bear it, then, with no way back, the sums. */
	for (i = 0; i < count; i++)
	{
		DpAmount epsilon;
		DpAmount delta;
		ListCell *cell;

		if (seen_before(request, i))
			continue;
		sum_charges(request, request->charges[i].relation, &epsilon, &delta);
		if (epsilon.units == 0 && delta.units == 0)
			continue;
		foreach (cell, budgets[i])
		{
			if (!suffices(lfirst(cell), relations[i], epsilon, delta,
						  &request->reply))
				return;
		}
	}
	if (reply_size(request) > request->slot->capacity)
	{
		request->reply.needed = reply_size(request);
		return;
	}
	if (request->header.dry_run)
		return;
	for (i = 0; i < count; i++)
	{
		DpAmount epsilon;
		DpAmount delta;
		ListCell *cell;

		if (request->outcomes[i].outcome == DP_OUTCOME_CHARGED)
			record(request, i, relations[i], role);
		if (seen_before(request, i))
			continue;
		sum_charges(request, request->charges[i].relation, &epsilon, &delta);
		foreach (cell, budgets[i])
		{
			Budget *b = lfirst(cell);

			b->epsilon_spent = dp_amount_add(b->epsilon_spent, epsilon);
			b->delta_spent = dp_amount_add(b->delta_spent, delta);
			b->dirty = true;
		}
	}
}

static void
write_budgets(const Batch *batch)
{
	ListCell *relation_cell;
	ListCell *cell;

	foreach (relation_cell, batch->relations)
	{
		foreach (cell, ((StoreRelation *) lfirst(relation_cell))->budgets)
		{
			Budget *b = lfirst(cell);
			Datum values[4];

			if (!b->dirty)
				continue;
			values[0] = Int64GetDatum(b->budget_id);
			values[1] = amount_datum(b->epsilon_spent);
			values[2] = amount_datum(b->delta_spent);
			values[3] = TimestampTzGetDatum(b->period_start);
			execute(UPDATE_BUDGET, values, NULL);
		}
	}
}

/*
 * Takes the lock that functions for owners take (dp_as_owner), for the
 * transaction. The extension's oid is looked up again when its schema has
 * changed, also while the lock was waited for: it was dropped and created
 * meanwhile.
 */
static void
lock_budgets(void)
{
	static Oid schema = InvalidOid;
	static Oid extension = InvalidOid;
	Oid now = get_namespace_oid("dp_noise", true);

	do
	{
		if (now != schema || !OidIsValid(extension))
		{
			schema = now;
			extension = get_extension_oid("dp_noise", true);
		}
		if (!OidIsValid(now) || !OidIsValid(extension))
			ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
							errmsg("extension \"dp_noise\" does not exist in "
								   "this database")));
		LockDatabaseObject(ExtensionRelationId, extension, 0, ExclusiveLock);
		now = get_namespace_oid("dp_noise", true);
	} while (now != schema);
}

void
dp_store_apply(DpStoreRequest *requests, int count)
{
	Batch batch = {NIL, NIL, CurrentMemoryContext};
	int i;

	lock_budgets();
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to the server's SQL interface");
	PushActiveSnapshot(GetTransactionSnapshot());
	for (i = 0; i < count; i++)
	{
		if (requests[i].unreadable)
			continue;

		/* A second attempt starts afresh. */
		memset(&requests[i].reply, 0, sizeof(DpReply));
		apply(&batch, &requests[i]);
	}
	write_budgets(&batch);
	PopActiveSnapshot();
	SPI_finish();
}

void
dp_store_attach(DpStoreRequest *request, DpSlot *slot)
{
	Size size;
	Size answers = 0;
	uint32 i;

	memset(request, 0, sizeof(*request));
	request->context = CurrentMemoryContext;
	request->slot = slot;
	request->bytes = slot->data.bytes;
	if (slot->segment != DSM_HANDLE_INVALID)
	{
		request->segment = dsm_attach(slot->segment);
		if (request->segment == NULL)
		{
			request->unreadable = true;
			refuse(&request->reply, ERRCODE_INTERNAL_ERROR,
				   "the request of the ledger is gone");
			return;
		}
		request->bytes = dsm_segment_address(request->segment);
	}
	memcpy(&request->header, request->bytes, sizeof(DpRequest));
	size = request->header.count * sizeof(DpCharge);
	request->charges = palloc(Max(size, 1));
	memcpy(request->charges, request->bytes + sizeof(DpRequest), size);
	request->outcomes =
		palloc0(Max(request->header.count, 1) * sizeof(DpOutcomeEntry));
	request->answers = palloc0(Max(request->header.count, 1) * sizeof(char *));
	request->replays = palloc0(Max(request->header.count, 1) * sizeof(char *));
	for (i = 0; i < request->header.count; i++)
	{
		uint32 bytes = request->charges[i].answer_size;

		if (bytes == 0)
			continue;
		request->answers[i] = palloc(bytes);
		memcpy(request->answers[i],
			   request->bytes + sizeof(DpRequest) + size + answers, bytes);
		answers += bytes;
	}
}

static int
clip(const char *text, Size room)
{
	return pg_mbcliplen(text, (int) strlen(text), (int) room);
}

void
dp_store_fail(DpStoreRequest *request, const ErrorData *error)
{
	DpReply *reply = &request->reply;

	memset(reply, 0, sizeof(*reply));
	if (error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE)
	{
		refuse(reply, error->sqlerrcode,
			   "the privacy budgets are locked by another transaction");
		set_hint(reply,
				 "Try again when the owner's change of budgets is committed.");
		return;
	}
	/* No longer than what fits, without half a character. */
	refuse(reply, error->sqlerrcode,
		   "could not charge the privacy budget: %.*s",
		   clip(error->message, sizeof(reply->message) - 64), error->message);
	if (error->hint != NULL)
		set_hint(reply, "%.*s", clip(error->hint, sizeof(reply->hint) - 1),
				 error->hint);
}

void
dp_store_reply(DpStoreRequest *request)
{
	char *to = request->bytes;
	uint32 i;

	/* Without its segment the requester reads the slot. */
	if (request->segment == NULL)
	{
		to = request->slot->data.bytes;
		request->slot->segment = DSM_HANDLE_INVALID;
	}
	memcpy(to, &request->reply, sizeof(DpReply));
	if (request->reply.sqlstate == 0 && request->reply.needed == 0)
	{
		Size size = request->header.count * sizeof(DpOutcomeEntry);

		to += sizeof(DpReply);
		memcpy(to, request->outcomes, size);
		to += size;
		for (i = 0; i < request->header.count; i++)
		{
			if (request->outcomes[i].answer_size == 0)
				continue;
			memcpy(to, request->replays[i], request->outcomes[i].answer_size);
			to += request->outcomes[i].answer_size;
		}
	}
	if (request->segment != NULL)
		dsm_detach(request->segment);
}
