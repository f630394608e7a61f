/*
 * released.h
 *		What a block's expressions become: columns of the released rows.
 *
 * Whatever comes after grouping works on released rows, so any SQL is allowed
 * there. Their columns: the keys, the aggregates, the ends of intervals, and, of
 * several groupings, the number of the row's from 1.
 */
#ifndef DP_GATE_READ_RELEASED_H
#define DP_GATE_READ_RELEASED_H

#include "gate/question/ends.h"
#include "gate/read/asked.h"
#include "gate/read/grouped_by.h"

typedef struct DpReleasedColumns
{
	const DpWrittenGroupings *written;
	List *numbers; /* beside its keys: of the question's keys, from 0; -1: it is
					* constant, and stays as it is */
	int keys;	   /* how many there are */
	const DpAskedRows *rows;
	List *aggrefs;	  /* as the block has them, once each */
	List *aggregates; /* beside: DpAsked */
	DpEnds *ends;
} DpReleasedColumns;

/*
 * Replaces keys and aggregates in a block's expressions by columns of the
 * released rows, and collects the aggregates. Errors: feature_not_supported for
 * other columns; those of dp_asked_read.
 */
extern Node *dp_released_replace(Node *node, DpReleasedColumns *released);

/*
 * Gives ends of intervals, and the number of the grouping, their columns, once all
 * aggregates are known, in what dp_released_replace has returned.
 */
extern void dp_released_number_ends(Node *node,
									const DpReleasedColumns *released);

#endif
