/*
 * domain.h
 *		The values that a group key may have.
 */
#ifndef DP_GATE_DOMAIN_H
#define DP_GATE_DOMAIN_H

#include "fmgr.h"

/* Values of one key, and combinations of those of all keys, at most. */
#define DP_COMBINATIONS_MAX 1000000

/* Distinct values in the order in which they are released. */
typedef struct DpDomain
{
	const char *kind; /* for people, such as "enum" */
	Oid type;
	Oid collation;
	int16 length;
	bool by_value;
	int count; /* of values that are not null */
	Datum *values;
	bool has_null; /* null comes last, at the place count */

	/* Places of values by their hash; -1 where there is none. */
	FmgrInfo hash;
	FmgrInfo equal;
	uint32 mask;
	int *places;
} DpDomain;

/* An empty domain of a type that can be hashed, in the current context. */
extern DpDomain *dp_gate_domain_create(Oid type, Oid collation);

/*
 * Adds a value, unless it is there; it must live as long as the domain. Called
 * in the domain's memory context. Errors: program_limit_exceeded.
 */
extern void dp_gate_domain_add(DpDomain *domain, Datum value);

/* Number of values, null included. */
static inline int
dp_gate_domain_size(const DpDomain *domain)
{
	return domain->count + (domain->has_null ? 1 : 0);
}

/* The place of a value in a domain, or -1. */
extern int dp_gate_domain_find(DpDomain *domain, Datum value, bool isnull);

#endif
