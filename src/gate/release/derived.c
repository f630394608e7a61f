/*
 * derived.c
 *		Answers that follow from stored ones.
 *
 * The ledger is asked twice: what would become of the questions, and of the finer
 * ones of which they might be parts; then for the answer to one of these at a time,
 * in the order in which the question's conditions are taken away.
 */
#include "postgres.h"

#include "gate/facts/finer.h"
#include "gate/facts/fingerprint.h"
#include "gate/release/derived.h"
#include "gate/release/derived_bytes.h"
#include "server/settings.h"

/* The most bytes of stored answers that are read, and of those made of them. */
#define BYTES_MAX (64 * 1024 * 1024)

/* A finer question of one that is asked. */
typedef struct Source
{
	int asked;		   /* the first charge of that one, in the price */
	const List *finer; /* gate/facts/finer.h */
	uint32 charge;	   /* its own first charge among those that are tried */
} Source;

/* What the ledger is asked about. */
typedef struct Trial
{
	DpPrice *price;
	DpCharge *charges;
	uint32 count;
	uint32
		*places; /* by charge of the price: the same here, of those that may be
					 * derived */
	List *sources;
	DpChargeResult
		*found; /* by charge: what the ledger would replay, once read */
	Size bytes; /* of these answers, and of those made of them */
} Trial;

/* How many charges a question has, one a population. */
static int
charges_of(const DpPrice *price, int first)
{
	int end = first + 1;

	while (end < price->count && price->charges[end].charge.is_joint)
		end++;
	return end - first;
}

/* The finer questions of a question; NIL where its answer cannot be derived. */
static List *
finer_of(const DpPricedCharge *priced)
{
	const DpAskedQuestion *question = priced->question;
	DpReleaseState *state = priced->state;

	if (question == NULL || question->count > 1 || priced->charge.is_joint ||
		priced->charge.has_levels || !dp_price_is_asked(priced) ||
		state->outline->finer == NIL ||
		list_length(state->groupings->states) > 1 ||
		dp_terms_chooses(&state->terms, question->aggno))
		return NIL;
	return list_nth(state->outline->finer, question->aggno);
}

DpCharge
dp_derived_charge(const DpCharge *charge, const unsigned char *fingerprint)
{
	DpCharge result = *charge;

	result.cost = dp_cost_none();
	result.asked = result.least_asked = (DpAmount){0};
	result.has_draw = false;
	memcpy(result.fingerprint, fingerprint, DP_FINGERPRINT_SIZE);
	return result;
}

/*
 * Where a question is among those that are tried, with charges that cost nothing; it
 * is added if need be, since none may be asked twice.
 */
static uint32
find_place(Trial *trial, int first, const unsigned char *fingerprint)
{
	int count = charges_of(trial->price, first);
	uint32 place;
	int i;

	for (place = 0; place < trial->count; place++)
	{
		const DpCharge *other = &trial->charges[place];

		if (!other->is_joint &&
			other->population_id ==
				trial->price->charges[first].charge.population_id &&
			memcmp(other->fingerprint, fingerprint, DP_FINGERPRINT_SIZE) == 0)
			return place;
	}
	for (i = 0; i < count; i++)
		trial->charges[trial->count++] = dp_derived_charge(
			&trial->price->charges[first + i].charge, fingerprint);
	return place;
}

/* Adds a question of the price, and its finer ones, as far as there is room. */
static void
add_question(Trial *trial, int first)
{
	const DpPricedCharge *priced = &trial->price->charges[first];
	List *finer = finer_of(priced);
	uint32 count = (uint32) charges_of(trial->price, first);

	if (finer == NIL ||
		trial->count + (list_length(finer) + 1) * count > DP_CHARGES_MAX)
		return;
	if (trial->charges == NULL)
		trial->charges = palloc(DP_CHARGES_MAX * sizeof(DpCharge));
	trial->places[first] = find_place(trial, first, priced->charge.fingerprint);
	foreach_ptr (const List, one, finer)
	{
		Source *source = palloc(sizeof(Source));
		unsigned char fingerprint[DP_FINGERPRINT_SIZE];

		dp_fingerprint_of(dp_finer_form(one), dp_finer_keys(one),
						  priced->state->estate->es_param_list_info,
						  fingerprint);
		source->asked = first;
		source->finer = one;
		source->charge = find_place(trial, first, fingerprint);
		trial->sources = lappend(trial->sources, source);
	}
}

/*
 * The answer to a finer question, as the ledger would replay it now; it may be part of
 * many, and is read once.
 */
static bool
find_answer(Trial *trial, const Source *source, DpChargeResult *result)
{
	int count = charges_of(trial->price, source->asked);
	DpChargeResult *results = palloc0(count * sizeof(DpChargeResult));
	DpAsk ask = {.charges = &trial->charges[source->charge],
				 .count = (uint32) count,
				 .relations = trial->price->relations,
				 .relation_count = trial->price->relation_count};

	*result = trial->found[source->charge];
	if (result->answer == NULL && trial->bytes < BYTES_MAX)
	{
		dp_ledger_try(&ask, results);
		*result = trial->found[source->charge] = results[0];
		trial->bytes += result->answer_size;
	}
	return result->outcome == DP_OUTCOME_REPLAYED && result->answer != NULL;
}

/* Its answer from that of a finer one, if it follows; what that takes is freed. */
static StringInfo
make_answer(const DpPricedCharge *priced, const Source *source,
			const DpChargeResult *stored, double *width)
{
	MemoryContext context = AllocSetContextCreate(
		CurrentMemoryContext, "derived answer", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	StringInfo made = dp_derived_bytes_make(
		priced->state, priced->question->aggno, source->finer, stored->answer,
		stored->answer_size, width);
	StringInfo answer = NULL;

	MemoryContextSwitchTo(old);
	if (made != NULL)
	{
		answer = makeStringInfo();
		appendBinaryStringInfo(answer, made->data, made->len);
	}
	MemoryContextDelete(context);
	return answer;
}

/* Settles a question, if a finer one's answer contains its own. */
static void
derive(Trial *trial, const Source *source)
{
	DpPricedCharge *priced = &trial->price->charges[source->asked];
	DpChargeResult result;
	StringInfo answer;
	double width;
	int i;

	if (!find_answer(trial, source, &result) || trial->bytes >= BYTES_MAX)
		return;
	answer = make_answer(priced, source, &result, &width);
	if (answer == NULL)
		return;
	trial->bytes += (Size) answer->len;
	result.answer = answer->data;
	result.answer_size = (uint32) answer->len;
	priced->question->is_derived = true;
	priced->question->derived_width = width;
	memcpy(priced->question->source, trial->charges[source->charge].fingerprint,
		   DP_FINGERPRINT_SIZE);
	for (i = 0; i < charges_of(trial->price, source->asked); i++)
		priced[i].result = result;
}

/* Whether a question would be answered, but not from what is stored for it. */
static bool
is_open(const Trial *trial, const DpPreview *preview, const Source *source)
{
	return dp_price_is_asked(&trial->price->charges[source->asked]) &&
		   preview->charges[trial->places[source->asked]].outcome ==
			   DP_OUTCOME_CHARGED;
}

void
dp_derived_find(DpPrice *price)
{
	Trial trial = {.price = price};
	DpPreview preview;
	DpAsk ask;
	int i;

	if (!dp_setting_derive_answers)
		return;
	trial.places = palloc0(Max(price->count, 1) * sizeof(uint32));
	for (i = 0; i < price->count; i++)
		add_question(&trial, i);
	if (trial.sources == NIL)
		return;
	ask = (DpAsk){.charges = trial.charges,
				  .count = trial.count,
				  .relations = price->relations,
				  .relation_count = price->relation_count};
	trial.found = palloc0(trial.count * sizeof(DpChargeResult));
	dp_ledger_preview(&ask, &preview);
	if (preview.charge_count != trial.count)
		return;
	foreach_ptr (const Source, source, trial.sources)
	{
		if (is_open(&trial, &preview, source) &&
			preview.charges[source->charge].outcome == DP_OUTCOME_REPLAYED)
			derive(&trial, source);
	}
}
