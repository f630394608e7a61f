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
	const char
		*marks; /* the candidates as an ascending array, for width_bucket;
						* those of the upper side, and what is compared with
						* them, with the opposite sign. So a value's bucket is
						* the number of candidates that it keeps within */
} DpCandidates;

/* Numbers of rows or groups of a unit. */
extern DpCandidates dp_candidates_of_sizes(void);

/* Bounds of a column of a base type that has some. */
extern DpCandidates dp_candidates_of_column(Oid type, DpSide side);

/* Whether the one, found on the lower side, is above the other. */
extern bool dp_candidates_cross(Oid type, const char *lower, const char *upper);

/*
 * The type of the marks of a base type, and the expression, with %s for a column,
 * that is compared with them; NULL: there are no candidates for the type.
 */
extern const char *dp_candidates_type(Oid type);
extern const char *dp_candidates_expression(Oid type);

#endif
