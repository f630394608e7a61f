/*
 * draw.c
 *		Which draw answers a question.
 */
#include "postgres.h"

#include <openssl/sha.h>

#include "lib/stringinfo.h"
#include "miscadmin.h"

#include "gate/release/chain.h"
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
add_law(StringInfo to, const DpQuestion *question)
{
	const DpMechanismChoice *choice = &question->choice;

	ADD(to, choice->truncated);
	ADD(to, choice->cost);
	ADD(to, choice->gamma);
	ADD(to, choice->first_step);
	ADD(to, choice->delta);
	ADD(to, choice->rank);
	ADD(to, choice->quantum);
	ADD(to, choice->levels);
	ADD(to, choice->constants);
	ADD(to, question->contribution.neighbours);
	ADD(to, question->contribution.rows);
	ADD(to, question->contribution.groups);
	ADD(to, question->cap);
}

/* What is hashed for a question by itself. */
static void
add_question(StringInfo to, const DpQuestion *question)
{
	const DpOutline *outline = &question->state->release->outline;
	const DpCharge *charge = &question->charge;
	/* Policies and functions can tell both of them. */
	Oid acting = outline->is_of_role ? GetUserId() : InvalidOid;
	Oid session = outline->is_of_role ? GetSessionUserId() : InvalidOid;
	ListCell *cell;

	add_bytes(to, charge->fingerprint, DP_FINGERPRINT_SIZE);
	add_text(to, charge->mechanism);
	if (charge->has_levels) /* the chain is of all of them */
		add_text(to, dp_gate_chain_text(question->state));
	else
		add_price(to, charge);
	add_law(to, question);
	foreach (cell, outline->relations.populations)
		ADD(to, lfirst_int(cell));
	ADD(to, acting);
	ADD(to, session);
}

/* Names what answers a question by itself. */
static void
name_alone(DpQuestion *question)
{
	StringInfoData text;

	initStringInfo(&text);
	add_question(&text, question);
	SHA256((unsigned char *) text.data, (size_t) text.len, question->alone);
	pfree(text.data);
}

static int
compare_names(const void *a, const void *b)
{
	return memcmp(a, b, DP_FINGERPRINT_SIZE);
}

/* Names draws by their questions and all the others, in whatever order. */
static void
name_together(DpQuestion *questions, int count)
{
	Size size = (Size) (count + 1) * DP_FINGERPRINT_SIZE;
	unsigned char *names = palloc(size);
	unsigned char *others = names + DP_FINGERPRINT_SIZE;
	int i;

	for (i = 0; i < count; i++)
		memcpy(others + i * DP_FINGERPRINT_SIZE, questions[i].alone,
			   DP_FINGERPRINT_SIZE);
	qsort(others, (size_t) count, DP_FINGERPRINT_SIZE, compare_names);
	for (i = 0; i < count; i++)
	{
		memcpy(names, questions[i].alone, DP_FINGERPRINT_SIZE);
		SHA256(names, size, questions[i].charge.draw);
	}
	pfree(names);
}

void
dp_gate_name_draws(DpQuestion *questions, int count)
{
	bool is_private = count > 0 && dp_gate_has_private_keys(questions[0].state);
	int i;

	for (i = 0; i < count; i++)
	{
		DpQuestion *question = &questions[i];

		name_alone(question);
		memcpy(question->charge.draw, question->alone, DP_FINGERPRINT_SIZE);
		question->charge.has_draw =
			!dp_gate_is_selection(question) &&
			(!is_private || question->state->selection != NULL);
	}
	if (is_private)
		name_together(questions, count);
}
