/*
 * named_populations.h
 *		Populations by name, or of a relation.
 */
#ifndef DP_LEDGER_NAMED_POPULATIONS_H
#define DP_LEDGER_NAMED_POPULATIONS_H

#include "postgres.h"

typedef struct DpNamedPopulation
{
	int population_id;
	Oid owner;
	char *name;
} DpNamedPopulation;

/*
 * The population of a name, and that of a relation (InvalidOid: none), as the active
 * snapshot shows them; false if there is none. Whoever calls needs no privilege.
 */
extern bool dp_find_population(const char *name, DpNamedPopulation *found);
extern bool dp_find_population_of(Oid relation, DpNamedPopulation *found);

#endif
