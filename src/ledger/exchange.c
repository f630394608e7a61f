/*
 * exchange.c
 *		Reads requests from their slots, and writes replies into them.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "utils/memutils.h"

#include "ledger/reply.h"
#include "ledger/store.h"

void
dp_reply_refuse(DpReply *reply, int sqlstate, const char *message, ...)
{
	va_list args;

	reply->sqlstate = sqlstate;
	va_start(args, message);
	vsnprintf(reply->message, sizeof(reply->message), message, args);
	va_end(args);
}

/* Where the bytes of a request are; NULL where its segment is gone. */
static char *
find_bytes(DpStoreRequest *request, DpSlot *slot)
{
	if (slot->segment == DSM_HANDLE_INVALID)
		return slot->data.bytes;
	request->segment = dsm_attach(slot->segment);
	return request->segment != NULL ? dsm_segment_address(request->segment)
									: NULL;
}

/* Copies some bytes; *from: moved behind them. */
static void *
take(const char **from, Size size)
{
	void *copy = palloc(Max(size, 1));

	memcpy(copy, *from, size);
	*from += size;
	return copy;
}

/* Each charge is about relations that the request has. */
static bool
has_relations(const DpStoreRequest *request)
{
	uint32 i;

	for (i = 0; i < request->header.count; i++)
	{
		const DpCharge *charge = &request->charges[i];

		if (charge->first_relation > request->header.relation_count ||
			charge->relation_count >
				request->header.relation_count - charge->first_relation)
			return false;
	}
	return true;
}

/* The relations of charges that were made before may be left out. */
static void
forget_relations(DpStoreRequest *request)
{
	uint32 i;

	for (i = 0; i < request->header.count; i++)
		request->charges[i].first_relation =
			request->charges[i].relation_count = 0;
}

void
dp_store_attach(DpStoreRequest *request, DpSlot *slot)
{
	const char *from;
	uint32 count;
	uint32 i;

	memset(request, 0, sizeof(*request));
	request->context = CurrentMemoryContext;
	request->slot = slot;
	request->bytes = find_bytes(request, slot);
	if (request->bytes == NULL)
	{
		request->unreadable = true;
		request->bytes = slot->data.bytes;
		dp_reply_refuse(&request->reply, ERRCODE_INTERNAL_ERROR,
						"the request of the ledger is gone");
		return;
	}
	memcpy(&request->header, request->bytes, sizeof(DpRequest));
	count = request->header.count;
	from = request->bytes + sizeof(DpRequest);
	request->charges = take(&from, count * sizeof(DpCharge));
	request->relations =
		take(&from, request->header.relation_count * sizeof(DpAskedRelation));
	if (request->header.relation_count == 0)
		forget_relations(request);
	if (!has_relations(request))
		elog(ERROR, "a charge about relations that are not there");
	request->outcomes = palloc0(Max(count, 1) * sizeof(DpOutcomeEntry));
	request->answers = palloc0(Max(count, 1) * sizeof(char *));
	request->replays = palloc0(Max(count, 1) * sizeof(char *));
	for (i = 0; i < count; i++)
	{
		if (request->charges[i].has_answer)
			request->answers[i] = take(&from, request->charges[i].answer_size);
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
	request->is_decided = false;
	request->is_undecided = true;
	if (error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE)
	{
		dp_reply_refuse(reply, error->sqlerrcode,
						"the ledger is locked by another transaction");
		dp_reply_hint(reply, "Try again when that transaction has ended.");
		return;
	}
	/* Cut to what fits, at a character's end. */
	dp_reply_refuse(
		reply, error->sqlerrcode, "%s: %.*s",
		request->header.kind == DP_REQUEST_STORE ||
				request->header.kind == DP_REQUEST_FAIL
			? "could not store the answer of a question that is charged"
			: "could not charge the privacy budget",
		clip(error->message, sizeof(reply->message) - 64), error->message);
	if (error->hint != NULL)
		dp_reply_hint(reply, "%.*s", clip(error->hint, sizeof(reply->hint) - 1),
					  error->hint);
}

void
dp_store_refuse_slow(DpStoreRequest *request)
{
	DpReply *reply = &request->reply;

	memset(reply, 0, sizeof(*reply));
	request->is_decided = false;
	request->is_undecided = true;
	dp_reply_refuse(reply, ERRCODE_PROGRAM_LIMIT_EXCEEDED,
					"the ledger worked on this statement for too long");
	dp_reply_detail(reply, "It was stopped, since all charges wait for it. %s",
					request->header.kind == DP_REQUEST_STORE
						? "The question is charged; nothing was answered."
						: "Nothing was charged.");
	dp_reply_hint(reply, "Ask about fewer relations at once, or the owner for "
						 "fewer budgets that pay.");
}

Size
dp_store_reply_size(const DpStoreRequest *request)
{
	Size size = sizeof(DpReply) +
				request->header.count * sizeof(DpOutcomeEntry) +
				request->budget_count * sizeof(DpPreviewBudget);
	uint32 i;

	for (i = 0; i < request->header.count; i++)
		size += request->outcomes[i].answer_size;
	return size;
}

/* Copies bytes; returns where to go on. */
static char *
put(char *to, const void *bytes, Size size)
{
	if (size > 0)
		memcpy(to, bytes, size);
	return to + size;
}

void
dp_store_reply(DpStoreRequest *request)
{
	DpReply *reply = &request->reply;
	bool is_preview = request->header.kind == DP_REQUEST_PREVIEW;
	char *to = request->bytes;
	uint32 i;

	/* Without its segment the requester reads the slot. */
	if (request->segment == NULL)
	{
		to = request->slot->data.bytes;
		request->slot->segment = DSM_HANDLE_INVALID;
	}
	reply->size = sizeof(DpReply);
	reply->outcome_count = reply->budget_count = 0;
	if (request->is_decided && reply->needed == 0 &&
		(reply->sqlstate == 0 || is_preview))
	{
		reply->size = dp_store_reply_size(request);
		reply->outcome_count = request->header.count;
		reply->budget_count = request->budget_count;
	}
	to = put(to, reply, sizeof(DpReply));
	to = put(to, request->outcomes,
			 reply->outcome_count * sizeof(DpOutcomeEntry));
	to = put(to, request->budgets,
			 reply->budget_count * sizeof(DpPreviewBudget));
	for (i = 0; i < reply->outcome_count; i++)
		to = put(to, request->replays[i], request->outcomes[i].answer_size);
	dp_store_detach(request);
}

void
dp_store_detach(DpStoreRequest *request)
{
	if (request->segment != NULL)
		dsm_detach(request->segment);
	request->segment = NULL;
}
