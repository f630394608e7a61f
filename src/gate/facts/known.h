/*
 * known.h
 *		What has one value in all rows of a unit.
 *
 * Why that follows from keys says gate/facts/keys.h.
 */
#ifndef DP_GATE_FACTS_KNOWN_H
#define DP_GATE_FACTS_KNOWN_H

#include "gate/tree/node.h"

/* Columns of a node's row, or of the row that its expressions see. */
typedef struct DpKnownColumns
{
	Bitmapset *columns; /* what is known, by what it equals at least */
	Bitmapset *exact;	/* of these: it is one and the same value */
	Bitmapset *strict;	/* of these: an equation says so, so it is not null */
} DpKnownColumns;

/* Public rows that are met by a key, and these keys. */
typedef struct DpLookUps
{
	List *nodes;
	List *keys;
} DpLookUps;

/*
 * Adds all that follows from what is known of a node's row. True if a unit has
 * at most one such row; of what is public, if there is one at most. found: may be
 * NULL.
 */
extern bool dp_known_spread(const DpNode *node, DpKnownColumns *known,
							DpLookUps *found);

/*
 * The same in the rows in which the nullable side of a left join matches: true if
 * at most one of its rows does.
 */
extern bool dp_known_spread_match(const DpJoin *join, DpKnownColumns *known,
								  DpLookUps *found);

/* Adds so many columns, from one on, as those of one row. */
extern void dp_known_add_whole(DpKnownColumns *known, int first, int count);

/* Whether expressions have values that are equal where the known columns are. */
extern bool dp_known_is_known(const DpExpr *expr, const DpKnownColumns *known);
extern bool dp_known_are_known(const List *exprs, const DpKnownColumns *known);

#endif
