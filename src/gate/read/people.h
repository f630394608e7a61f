/*
 * people.h
 *		Whose rows a query has: one's own each, or those of several people combined.
 *
 * This only decides how a query is read, before it is taken apart. What is proven of
 * the owners of rows is computed later (gate/facts/owner.h).
 */
#ifndef DP_GATE_READ_PEOPLE_H
#define DP_GATE_READ_PEOPLE_H

#include "nodes/parsenodes.h"

/* Whether a query combines rows itself, by aggregates, groups or DISTINCT. */
extern bool dp_people_combines(const Query *query);

/* Whether the keys of its groups or distinct rows seem to identify the unit. */
extern bool dp_people_is_of_units(Query *query);

/*
 * Whether FROM, but for one entry or NULL, has rows of people that are kept back,
 * and not answers about several of them.
 */
extern bool dp_people_reads(Query *query, const RangeTblEntry *other);

#endif
