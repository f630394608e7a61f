/*
 * points.h
 *		Many integers, of which a draw needs a few in sorted order.
 *
 * They are in an array, or elsewhere, for example in files where there are too
 * many. A draw first asks for the ranks that it needs to be sorted, and then
 * reads points by rank. So it need not know where they are.
 */
#ifndef DP_CORE_POINTS_H
#define DP_CORE_POINTS_H

#include "core/select.h"

typedef struct DpPoints DpPoints;
struct DpPoints
{
	size_t count;	 /* of the points, ranks 0 .. count-1 */
	int64_t *values; /* of the ranks first .. last-1; in an array, of all */
	size_t first;
	size_t last;

	/*
	 * For points that are not in an array. order sorts some ranks, ascending;
	 * fetch brings one of these into values, along with some neighbours. Both
	 * may raise an error of the caller's and not return. NULL: the points are
	 * in an array.
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

/* Sorts the ranks first .. last-1. 0 <= first <= last <= count. */
static inline void
dp_points_order(DpPoints *points, size_t first, size_t last)
{
	if (points->order == NULL)
		dp_select_window(points->values, points->count, first, last);
	else
		points->order(points, first, last);
}

/* Makes all points readable, in any order. */
static inline void
dp_points_gather(DpPoints *points)
{
	if (points->order != NULL)
		points->order(points, 0, points->count);
}

/* The point of a sorted rank, or of any rank after dp_points_gather. */
static inline int64_t
dp_points_at(DpPoints *points, size_t rank)
{
	if (points->fetch != NULL && (rank < points->first || rank >= points->last))
		points->fetch(points, rank);
	return points->values[rank - points->first];
}

#endif
