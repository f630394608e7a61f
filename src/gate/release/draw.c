/*
 * draw.c
 *		Which draw answers a question.
 */
#include "postgres.h"

#include <openssl/sha.h>

#include "lib/stringinfo.h"
#include "miscadmin.h"

#include "gate/bound/levels.h"
#include "gate/release/draw.h"

static void
add_bytes(StringInfo to, const void *bytes, Size size)
{
	appendBinaryStringInfo(to, bytes, (int) size);
}

/* Not whole structures, which have gaps. */
#define ADD(to, value) add_bytes(to, &(value), sizeof(value))

static void
add_text(StringInfo to, const char *text)
{
	add_bytes(to, text, strlen(text) + 1);
}

static void
add_price(StringInfo to, const DpCharge *charge)
{
	ADD(to, charge->asked.ticks);
	ADD(to, charge->cost.epsilon.ticks);
	ADD(to, charge->cost.delta.ticks);
	ADD(to, charge->cost.unbounded.ticks);
	ADD(to, charge->cost.rho.ticks);
	ADD(to, charge->cost.pool.ticks);
}

/* The law of an answer, as far as price and mechanism do not say it. */
static void
add_law(StringInfo to, const DpCall *call)
{
	const DpMechanismChoice *choice = &call->choice;

	ADD(to, choice->truncated);
	ADD(to, choice->cost);
	ADD(to, choice->gamma);
	ADD(to, choice->first_step);
	ADD(to, choice->delta);
	ADD(to, choice->rank);
	ADD(to, choice->quantum);
	ADD(to, choice->levels);
	ADD(to, choice->constants);
	ADD(to, call->contribution.neighbours);
	ADD(to, call->contribution.rows);
	ADD(to, call->contribution.groups);
	ADD(to, call->cap);
}

void
dp_draw_name(const DpReleasePlan *plan, const DpCall *call,
			 const DpCharge *charge, unsigned char name[DP_FINGERPRINT_SIZE])
{
	static const DpCall none = {0};
	const DpOutline *outline = &plan->outline;
	/* Policies and functions can tell both of them. */
	Oid acting = outline->is_of_role ? GetUserId() : InvalidOid;
	Oid session = outline->is_of_role ? GetSessionUserId() : InvalidOid;
	StringInfoData text;
	ListCell *cell;

	initStringInfo(&text);
	add_bytes(&text, charge->fingerprint, DP_FINGERPRINT_SIZE);
	add_text(&text, charge->mechanism);
	if (charge->has_levels) /* the chain is of all of them */
		add_text(&text, dp_levels_text(outline->levels));
	else
		add_price(&text, charge);
	add_law(&text, call == NULL ? &none : call);
	foreach (cell, outline->relations.populations)
		ADD(&text, lfirst_int(cell));
	ADD(&text, acting);
	ADD(&text, session);
	SHA256((unsigned char *) text.data, (size_t) text.len, name);
	pfree(text.data);
}

static int
compare_names(const void *a, const void *b)
{
	return memcmp(a, b, DP_FINGERPRINT_SIZE);
}

void
dp_draw_name_together(unsigned char (*names)[DP_FINGERPRINT_SIZE], int count)
{
	Size size = (Size) (count + 1) * DP_FINGERPRINT_SIZE;
	unsigned char *text = palloc(size);
	int i;

	memcpy(text + DP_FINGERPRINT_SIZE, names,
		   (Size) count * DP_FINGERPRINT_SIZE);
	qsort(text + DP_FINGERPRINT_SIZE, (size_t) count, DP_FINGERPRINT_SIZE,
		  compare_names);
	for (i = 0; i < count; i++)
	{
		memcpy(text, names[i], DP_FINGERPRINT_SIZE);
		SHA256(text, size, names[i]);
	}
	pfree(text);
}
