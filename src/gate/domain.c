/*
 * domain.c
 *		A set of values, in order, with their places.
 */
#include "postgres.h"

#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "gate/domain.h"

static uint32
hash_of(DpDomain *domain, Datum value)
{
	return DatumGetUInt32(
		FunctionCall1Coll(&domain->hash, domain->collation, value));
}

/* Where a value is, or belongs, among the places. */
static uint32
slot_of(DpDomain *domain, Datum value)
{
	uint32 slot = hash_of(domain, value) & domain->mask;

	while (domain->places[slot] >= 0 &&
		   !DatumGetBool(FunctionCall2Coll(&domain->equal, domain->collation,
										   domain->values[domain->places[slot]],
										   value)))
		slot = (slot + 1) & domain->mask;
	return slot;
}

/* Room for twice as many values. */
static void
grow(DpDomain *domain)
{
	uint32 size = domain->places == NULL ? 8 : 2 * (domain->mask + 1);
	uint32 slot;
	int i;

	if (domain->places == NULL)
	{
		domain->places = palloc(size * sizeof(int));
		domain->values = palloc(size / 2 * sizeof(Datum));
	}
	else
	{
		domain->places = repalloc(domain->places, size * sizeof(int));
		domain->values = repalloc(domain->values, size / 2 * sizeof(Datum));
	}
	domain->mask = size - 1;
	for (slot = 0; slot < size; slot++)
		domain->places[slot] = -1;
	for (i = 0; i < domain->count; i++)
		domain->places[slot_of(domain, domain->values[i])] = i;
}

DpDomain *
dp_gate_domain_create(Oid type, Oid collation)
{
	DpDomain *domain = palloc0(sizeof(DpDomain));
	TypeCacheEntry *entry = lookup_type_cache(
		type, TYPECACHE_EQ_OPR_FINFO | TYPECACHE_HASH_PROC_FINFO);

	domain->type = type;
	domain->collation = collation;
	get_typlenbyval(type, &domain->length, &domain->by_value);
	fmgr_info_copy(&domain->equal, &entry->eq_opr_finfo, CurrentMemoryContext);
	fmgr_info_copy(&domain->hash, &entry->hash_proc_finfo,
				   CurrentMemoryContext);
	domain->places = NULL;
	grow(domain);
	return domain;
}

void
dp_gate_domain_add(DpDomain *domain, Datum value)
{
	uint32 slot = slot_of(domain, value);

	if (domain->places[slot] >= 0)
		return;
	if (domain->count >= DP_COMBINATIONS_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a group key has more than %d values",
							   DP_COMBINATIONS_MAX),
						errhint("Group by something coarser.")));
	domain->places[slot] = domain->count;
	domain->values[domain->count++] = value;
	if (2 * (uint32) domain->count > domain->mask)
		grow(domain);
}

int
dp_gate_domain_find(DpDomain *domain, Datum value, bool isnull)
{
	if (isnull)
		return domain->has_null ? domain->count : -1;
	return domain->places[slot_of(domain, value)];
}
