/*
 * named_populations.h
 *		Populations by name, for owners' functions.
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
 * The population of a name (NULL: any) or else of a relation (InvalidOid: none);
 * false if there is none. Whoever calls, it is looked up with the extension's
 * rights.
 */
extern bool dp_find_population(const char *name, Oid relation,
							   DpNamedPopulation *found);

#endif
