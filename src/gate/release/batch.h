/*
 * batch.h
 *		What several statements would cost, one after another.
 *
 * Each is previewed by the ledger as if it were asked now. What those before it in
 * the batch would have paid is taken off here, and what they would have asked is
 * asked again by it: as the population says, replayed, refused or answered anew.
 */
#ifndef DP_GATE_RELEASE_BATCH_H
#define DP_GATE_RELEASE_BATCH_H

#include "gate/release/price.h"

/* The batch so far: palloc'd where it begins. */
typedef struct DpPriceBatch
{
	MemoryContext context;
	List *asked;   /* Questions by fingerprint and population, ... */
	List *budgets; /* ... and budgets, with what the batch spends. */
} DpPriceBatch;

/* What becomes of a statement, the best first. */
typedef enum DpBatchAnswer
{
	DP_BATCH_FREE, /* it asks nothing */
	DP_BATCH_REPLAYED,
	DP_BATCH_DERIVED, /* from a stored answer */
	DP_BATCH_SHARED,
	DP_BATCH_CHARGED,
	DP_BATCH_REFUSED,
	DP_BATCH_UNKNOWN /* it depends on what is found first */
} DpBatchAnswer;

/* One statement. */
typedef struct DpBatchPrice
{
	DpBatchAnswer answer;
	const char *reason; /* why it is refused or not known; else NULL */
	const char *hint;	/* or NULL */
	DpAmount epsilon;	/* asked for, replays not counted */
	DpAmount delta;
	DpAmount rho;

	/*
	 * The least that is left of a budget that pays, after this statement and
	 * those before it, in the currencies that one of them counts.
	 */
	bool is_pure;
	bool is_zcdp;
	DpAmount epsilon_left;
	DpAmount rho_left;
	DpAmount delta_left; /* under zcdp of the pool */
} DpBatchPrice;

extern const char *dp_batch_answer_text(DpBatchAnswer answer);

/*
 * Adds a statement. preview: of this price, or of nothing. Where it is refused, the
 * batch goes on as if it had not been there.
 */
extern void dp_batch_add(DpPriceBatch *batch, const DpPrice *price,
						 const DpPreview *preview, DpBatchPrice *result);

#endif
