/*
 * points.h
 *		Many integers, of which a draw needs a few in order.
 *
 * They are in an array, or elsewhere: in files, say, where there are too many.
 * A draw first has the ranks that it needs put in order, and then reads them by
 * rank. So it need not know where they are.
 */
#ifndef DP_CORE_POINTS_H
#define DP_CORE_POINTS_H

#include "core/select.h"

typedef struct DpPoints DpPoints;
struct DpPoints
{
	size_t count;	 /* of the points, ranks 0 .. count-1 */
	int64_t *values; /* those of the ranks first .. last-1; of an array: all */
	size_t first;
	size_t last;

	/*
	 * Elsewhere than in an array. order: puts ranks in order, ascending, and
	 * fetch brings one of these into values, with some beside it. They may
	 * leave by an error of the caller's, not to return. NULL: an array.
	 */
	void (*order)(DpPoints *points, size_t first, size_t last);
	void (*fetch)(DpPoints *points, size_t rank);
};

/* The points of an array, which is reordered. */
static inline DpPoints
dp_points_of_array(int64_t *values, size_t count)
{
	return (DpPoints){
		.count = count, .values = values, .first = 0, .last = count};
}

/* Puts ranks first .. last-1 in order. 0 <= first <= last <= count. */
static inline void
dp_points_order(DpPoints *points, size_t first, size_t last)
{
	if (points->order == NULL)
		dp_select_window(points->values, points->count, first, last);
	else
		points->order(points, first, last);
}

/* For a look at all of them, in whatever order. */
static inline void
dp_points_gather(DpPoints *points)
{
	if (points->order != NULL)
		points->order(points, 0, points->count);
}

/* The point of a rank that is in order, or of any after dp_points_gather. */
static inline int64_t
dp_points_at(DpPoints *points, size_t rank)
{
	if (points->fetch != NULL && (rank < points->first || rank >= points->last))
		points->fetch(points, rank);
	return points->values[rank - points->first];
}

#endif
