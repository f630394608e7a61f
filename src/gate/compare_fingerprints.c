/*
 * compare_fingerprints.c
 *		Fingerprints of both readings of a block: for `make compare` alone.
 */
#include "postgres.h"

#ifdef DP_COMPARE

#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

#include "access/xact.h"

#include "gate/compare_fingerprints.h"
#include "gate/facts/fingerprint.h"
#include "gate/question/fingerprint.h"
#include "gate/question/keys/key.h"
#include "gate/question/released.h"

static const char *
hex_of(const unsigned char *fingerprint)
{
	char *text = palloc(2 * DP_FINGERPRINT_SIZE + 1);

	text[hex_encode((const char *) fingerprint, DP_FINGERPRINT_SIZE, text)] =
		'\0';
	return text;
}

static const char *
old_fingerprint(const DpBlock *block, int aggno, ParamListInfo params)
{
	const DpOutline *outline = &block->outline;
	unsigned char fingerprint[DP_FINGERPRINT_SIZE];

	dp_gate_fingerprint(&outline->relations, outline->quals,
						dp_gate_release_columns(outline->keys, NIL),
						dp_gate_keys_of(outline->keys, false) != NIL,
						copyObject(list_nth(outline->aggregates, aggno)),
						params, fingerprint);
	return hex_of(fingerprint);
}

static void
log_pair(const DpQuestion *question, const Bitmapset *keys,
		 const DpBlock *block, int aggno, ParamListInfo params,
		 const char *statement)
{
	bool are_private = dp_gate_keys_of(block->outline.keys, false) != NIL;
	const char *old = old_fingerprint(block, aggno, params);
	List *form = copyObject(dp_fingerprint_form(question, aggno, are_private));
	unsigned char fingerprint[DP_FINGERPRINT_SIZE];

	dp_fingerprint_of(form, keys, params, fingerprint);
	ereport(LOG, (errhidecontext(true), errhidestmt(true),
				  errmsg_internal("tree: fingerprints: %s | %s | %s | %s", old,
								  hex_of(fingerprint),
								  dp_fingerprint_text(form, keys, params),
								  statement)));
}

void
dp_compare_fingerprints(const DpQuestion *question, const Bitmapset *keys,
						const DpBlock *block, ParamListInfo params,
						const char *text)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	ErrorData *volatile error = NULL;
	volatile int aggno;

	if (block->outline.constants != NIL)
		return;
	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		for (aggno = 0; aggno < list_length(block->outline.aggregates); aggno++)
			log_pair(question, keys, block, aggno, params, text);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
	}
	PG_END_TRY();
	if (error == NULL)
		ReleaseCurrentSubTransaction();
	else
		RollbackAndReleaseCurrentSubTransaction();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	if (error != NULL && error->sqlerrcode != ERRCODE_UNDEFINED_OBJECT)
		ereport(LOG, (errhidecontext(true), errhidestmt(true),
					  errmsg_internal("tree: no fingerprints: %s | %s",
									  error->message, text)));
}

#endif
