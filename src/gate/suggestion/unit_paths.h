/*
 * unit_paths.h
 *		The rows of a relation's privacy units, in SQL.
 */
#ifndef DP_GATE_SUGGESTION_UNIT_PATHS_H
#define DP_GATE_SUGGESTION_UNIT_PATHS_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "ledger/request.h"
#include "mechanisms/contribution.h"

/* The relation has this name in what reads it. */
#define DP_UNITS_ALIAS "t0"

/* Steps of a path; longer ones are taken for endless. */
#define DP_UNITS_STEPS 100

typedef struct DpUnits
{
	Oid relation;
	Oid owner;
	int32 population;

	/*
	 * What is asked about, this relation first, then those that its path leads
	 * to. An exchange in one is taken for one in all.
	 */
	DpAskedRelation asked[DP_UNITS_STEPS + 1];
	uint32 asked_count;
	DpNeighbours neighbours;
	DpContribution contribution; /* as the owner has set it */
	uint32 people;				 /* that a group must have, likewise */
	const char *unit;			 /* expressions; NULL: the row */
	const char *unit_names;		 /* as many names for them */
	const char *from;			 /* FROM and WHERE: rows that are of a unit */
	const char *path;			 /* privacy_unit, as protect() takes it */
	bool several_rows;			 /* a unit may have */

	/* Columns that neither lead to the unit nor have bounds or values. */
	List *undeclared;
} DpUnits;

/*
 * How the rows of a protected relation and its units are found, as of now. Along
 * paths, look-ups of the owner's own: each row counts for the unit that it
 * leads to.
 *
 * Errors: object_not_in_prerequisite_state (not protected, or the unit is not
 * to be found any more).
 */
extern void dp_units_of(Oid relation, DpUnits *units);

#endif
