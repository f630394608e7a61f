/*
 * released.h
 *		What a block's expressions become: columns of the released rows.
 */
#ifndef DP_GATE_RELEASED_H
#define DP_GATE_RELEASED_H

#include "nodes/parsenodes.h"

/* The columns of the released rows: first the keys, then the aggregates. */
typedef struct DpReleased
{
	Oid relation;
	Index varno;		/* of the relation in the block */
	List *written_keys; /* as the block has them */
	List *keys;			/* the same, checked; what is constant, evaluated */
	List *written;		/* aggregates as the block has them, once each */
	List *aggregates;	/* the same, checked, with bounds */
} DpReleased;

/*
 * Replaces keys and aggregates in a block's expression by columns of the
 * released rows, and collects the aggregates. Errors: feature_not_supported for
 * other columns.
 */
extern Node *dp_gate_replace(Node *node, DpReleased *released);

/* FROM dp_noise.release(number) AS dp_release (c1 ..., c2 ...) */
extern RangeTblEntry *dp_gate_make_release(List *columns, int64 number);

#endif
