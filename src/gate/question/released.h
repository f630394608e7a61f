/*
 * released.h
 *		What a block's expressions become: columns of the released rows.
 */
#ifndef DP_GATE_QUESTION_RELEASED_H
#define DP_GATE_QUESTION_RELEASED_H

#include "gate/question/relations/relations.h"
#include "gate/question/ends.h"

/* The columns of the released rows: keys, aggregates, ends of intervals. */
typedef struct DpReleased
{
	const DpRelations *relations;
	List *written_keys; /* as the block has them */
	List *replacements; /* what stands for them, in the same order */
	List *keys;			/* of DpKey, once each */
	List *written;		/* aggregates as the block has them, once each */
	List *aggregates;	/* the same, checked, with bounds */
	DpEnds *ends;		/* of intervals around them */
} DpReleased;

/*
 * Adds a key as it is written in the block: checked, with constant calls
 * evaluated. A key that is constant, whatever the rows hold, makes no groups
 * and stays as it is. Errors: those of dp_gate_key_make.
 */
extern void dp_gate_add_key(Node *written, DpReleased *released);

/*
 * Replaces keys and aggregates in a block's expression by columns of the
 * released rows, and collects the aggregates. Errors: feature_not_supported for
 * other columns.
 */
extern Node *dp_gate_replace(Node *node, DpReleased *released);

/*
 * Gives ends of intervals their columns, once all aggregates are known, in an
 * expression or a list of them that dp_gate_replace has returned.
 */
extern void dp_gate_number_ends(Node *node, const DpReleased *released);

#endif
