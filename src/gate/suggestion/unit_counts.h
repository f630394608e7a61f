/*
 * unit_counts.h
 *		How many units exceed each candidate: read from the rows, and not private.
 *
 * Each unit counts once, by its greatest value, group or number of rows, and
 * needs no cap: one unit changes each count by 0 or 1.
 */
#ifndef DP_GATE_SUGGESTION_UNIT_COUNTS_H
#define DP_GATE_SUGGESTION_UNIT_COUNTS_H

#include "gate/suggestion/candidates.h"
#include "gate/suggestion/units.h"

/* Two numbers of each unit, for two walks. */
#define DP_WALKS 2

typedef struct DpUnitCounts
{
	uint64 *exceeding[DP_WALKS]; /* for each candidate of the walk */
} DpUnitCounts;

/*
 * A unit's rows and, second, its groups: rows in the group that has the most.
 * group_by: columns, as numbers; NIL: there are no groups.
 */
extern char *dp_unit_counts_sql_of_sizes(const DpUnits *units, List *group_by,
										 const char *marks);

/* A unit's greatest and, second, its least value of a column. */
extern char *dp_unit_counts_sql_of_values(const DpUnits *units,
										  AttrNumber column,
										  const DpCandidates *upper,
										  const DpCandidates *lower);

/*
 * Runs one of these with the rights of the owner, restricted, and without telling
 * of it (gate/relations/silence.h). The walks' candidates are those it was made of.
 */
extern void dp_unit_counts_read(const DpUnits *units, const char *sql,
								const DpCandidates *const walks[DP_WALKS],
								DpUnitCounts *counts);

#endif
