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
			dp_reply_refuse(&request->reply, ERRCODE_INTERNAL_ERROR,
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

		if (!request->charges[i].has_answer)
			continue;
		request->answers[i] = palloc(Max(bytes, 1));
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
	request->is_decided = false;
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
	dp_reply_refuse(reply, ERRCODE_PROGRAM_LIMIT_EXCEEDED,
					"the ledger worked on this statement for too long");
	dp_reply_detail(reply, "It was stopped, since all charges wait for it. %s",
					request->header.kind == DP_REQUEST_STORE
						? "The question is charged; nothing was answered."
						: "Nothing was charged.");
	dp_reply_hint(reply, "Ask the owner of the relation: very many dropped "
						 "relations of its name, or very many budgets that "
						 "pay, make it slow.");
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
