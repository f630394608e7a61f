/*
 * determined.h
 *		Columns besides the keys of groups that the server takes them to determine.
 */
#ifndef DP_GATE_READ_DETERMINED_H
#define DP_GATE_READ_DETERMINED_H

#include "gate/tree/node.h"

/*
 * Where a primary key is among the keys, a query may put out all columns of its
 * table, and the server takes those of whatever row of a group comes first. A
 * unique index of a protected relation is its owner's to keep, and tells that
 * there is one value. None of what is public is trusted, which whoever asks may
 * own: inheriting tables may have the same keys, and so may rows of a snapshot
 * that is older than the index. Such columns become keys, so that other people's
 * rows, which decide what comes first, do not show.
 *
 * Returns the keys with those columns of the rows, in expressions over them, that
 * are neither keys nor within an aggregate.
 */
extern List *dp_determined_add(const DpNode *rows, List *keys, List *exprs);

#endif
