/*
 * identity.c
 *		Which question a release asks: its fingerprint.
 */
#include "postgres.h"

#include "gate/facts/fill.h"
#include "gate/facts/fingerprint.h"
#include "gate/read/failing_calls.h"
#include "gate/read/folding.h"
#include "gate/release/identity.h"

static Bitmapset *
add_numbers(Bitmapset *set, const List *numbers)
{
	ListCell *cell;

	foreach (cell, numbers)
		set = bms_add_member(set, lfirst_int(cell));
	return set;
}

/* Calls what the values of parameters could make fail. */
static void
probe(List *calls, ParamListInfo params)
{
	foreach_ptr (Node, node, calls)
		dp_failing_calls_probe(
			dp_folding_evaluate(dp_fill_params(node, params)));
}

void
dp_identity_fingerprint(const DpOutline *outline, int aggno, bool by_all,
						ParamListInfo params,
						unsigned char fingerprint[DP_FINGERPRINT_SIZE])
{
	Bitmapset *keys;

	probe(outline->probes, params);
	keys = add_numbers(NULL, outline->key_numbers);
	if (by_all)
		keys = add_numbers(keys, outline->other_key_numbers);
	dp_fingerprint_of(list_nth(outline->forms, aggno), keys, params,
					  fingerprint);
}

int *
dp_identity_key_order(const DpOutline *outline, int aggno, ParamListInfo params)
{
	return dp_fingerprint_key_order(list_nth(outline->forms, aggno),
									add_numbers(NULL, outline->key_numbers),
									params);
}
