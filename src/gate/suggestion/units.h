/*
 * units.h
 *		The rows of a relation's privacy units, in SQL.
 */
#ifndef DP_GATE_SUGGESTION_UNITS_H
#define DP_GATE_SUGGESTION_UNITS_H

#include "postgres.h"

#include "nodes/bitmapset.h"
#include "nodes/pg_list.h"

#include "mechanisms/contribution.h"

/* The relation has this name in what reads it. */
#define DP_UNITS_ALIAS "t0"

typedef struct DpUnits
{
	Oid relation;
	Oid owner;

	/*
	 * What is asked about, this relation first, then those that its path leads
	 * to; and the versions of their settings. An exchange in one is taken for one
	 * in all.
	 */
	int32 population; /* of all of them */
	List *relations;  /* oids */
	int64 *versions;
	DpNeighbours neighbours;
	DpContribution contribution; /* as the owner has set it */
	const char *unit;			 /* expressions; NULL: the row */
	const char *unit_names;		 /* as many names for them */
	const char *from;			 /* FROM and WHERE: rows that are of a unit */
	const char *path;			 /* privacy_unit, as protect() takes it */
	bool several_rows;			 /* a unit may have */
	Bitmapset *is_about_units;	 /* columns that lead to the unit */
	Bitmapset *has_bounds;		 /* columns with bounds or values declared */
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
