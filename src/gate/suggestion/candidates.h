/*
 * candidates.h
 *		What can be suggested: public numbers that do not depend on the data.
 *
 * A walk goes over them in one direction, from those that many units exceed to
 * those that none does. Caps on rows and groups are the integers
 * ceil(2^(i/4)); bounds of columns of numbers are 0 and such powers, rounded
 * to three digits, on either side of 0; bounds of dates are the beginnings of
 * years.
 */
#ifndef DP_GATE_SUGGESTION_CANDIDATES_H
#define DP_GATE_SUGGESTION_CANDIDATES_H

#include "postgres.h"

typedef enum DpSide
{
	DP_SIDE_UPPER, /* from low to high: how much is above */
	DP_SIDE_LOWER  /* from high to low: how much is below */
} DpSide;

typedef struct DpCandidates
{
	int count;
	char **texts; /* as suggested, in the order of the walk */

	/*
	 * What stands before a number that is compared with them, and they
	 * themselves with that sign: an ascending array for width_bucket, whose
	 * result is how many of them keep the number within.
	 */
	const char *sign;
	const char *marks;
} DpCandidates;

/* Numbers of rows or groups of a unit, to be compared as float8. */
extern DpCandidates dp_candidates_of_sizes(void);

/* Bounds of a column of a base type that has some. */
extern DpCandidates dp_candidates_of_column(Oid type, DpSide side);
extern bool dp_candidates_exist(Oid type);

/* The number that is compared with these, in SQL. column: in SQL, too. */
extern char *dp_candidates_number(Oid type, const char *column);

/* Whether the one, found on the lower side, is above the other. */
extern bool dp_candidates_cross(Oid type, const char *lower, const char *upper);

#endif
