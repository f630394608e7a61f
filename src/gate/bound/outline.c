/*
 * outline.c
 *		What a grouping of a question asks, in parts.
 */
#include "postgres.h"

#include "gate/bound/outline.h"

DpOutline
dp_outline_copy(const DpOutline *outline)
{
	DpOutline copy = *outline;

	copy.relations = dp_relations_copy(&outline->relations);
	copy.equated = copyObject(outline->equated);
	copy.keys = copyObject(outline->keys);
	copy.tuples = copyObject(outline->tuples);
	copy.aggregates = copyObject(outline->aggregates);
	copy.ends = copyObject(outline->ends);
	copy.levels = copyObject(outline->levels);
	copy.certain = list_copy(outline->certain);
	copy.bounds_origins = list_copy(outline->bounds_origins);
	copy.choice_numbers = list_copy(outline->choice_numbers);
	copy.bounds = copyObject(outline->bounds);
	copy.chooses_cap = list_copy(outline->chooses_cap);
	copy.exclusive = copyObject(outline->exclusive);
	copy.by_zero = list_copy(outline->by_zero);
	copy.forms = copyObject(outline->forms);
	copy.finer = copyObject(outline->finer);
	copy.key_numbers = list_copy(outline->key_numbers);
	copy.probes = copyObject(outline->probes);
	copy.other_key_numbers = list_copy(outline->other_key_numbers);
	copy.lookups = copyObject(outline->lookups);
	copy.lookup_keys = copyObject(outline->lookup_keys);
	copy.constants = copyObject(outline->constants);
	copy.constant_numbers = list_copy(outline->constant_numbers);
	copy.copies = copyObject(outline->copies);
	copy.node_checks = copyObject(outline->node_checks);
	return copy;
}
