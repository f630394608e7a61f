/*
 * known.h
 *		What has one value in all rows of a unit.
 *
 * Why that follows from keys says gate/facts/keys.h.
 *
 * Of each column of a node's row, or of the row that its expressions see, these
 * flags are kept in an array by its number: an input's begin at its offset.
 */
#ifndef DP_GATE_FACTS_KNOWN_H
#define DP_GATE_FACTS_KNOWN_H

#include "gate/tree/node.h"

#define DP_KNOWN 0x01		 /* by what it equals at least */
#define DP_KNOWN_EXACT 0x02	 /* it is one and the same value, too */
#define DP_KNOWN_STRICT 0x04 /* an equation says so, so it is not null */

/* Public rows that are met by a key, and these keys. */
typedef struct DpLookUps
{
	List *nodes;
	List *keys;
	bool are_left_out; /* such rows are not taken for one, so none are found */
} DpLookUps;

/* Nothing is known yet of the row that a node's expressions see, or of its own. */
extern uint8 *dp_known_nothing(const DpNode *node);

/*
 * Adds all that follows from what is known of a node's row. True if a unit has
 * at most one such row; of what is public, if there is one at most. found: may be
 * NULL.
 */
extern bool dp_known_spread(const DpNode *node, uint8 *known, DpLookUps *found);

/*
 * The same in the rows in which the nullable side of a left join matches: true if
 * at most one of its rows does.
 */
extern bool dp_known_spread_match(const DpJoin *join, uint8 *known,
								  DpLookUps *found);

/* Adds columns, from here on, as those of one row. */
extern void dp_known_add_whole(uint8 *known, int count);

/* Whether expressions have values that are equal where the known columns are. */
extern bool dp_known_is_known(const DpExpr *expr, const uint8 *known);
extern bool dp_known_are_known(const List *exprs, const uint8 *known);

/* Whether an expression has one and the same value wherever they are equal. */
extern bool dp_known_is_exact(const DpExpr *expr, const uint8 *known);

#endif
