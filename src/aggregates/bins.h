/*
 * bins.h
 *		The bins of dp_bounds for each type of value (mechanisms/bounds.h).
 *
 * Integers: powers of two from 1 to the type's greatest. Dates and times: the
 * same, of days or microseconds since 2000-01-01 or midnight. Others: from
 * 2^-64 to 2^127, which every one of those types can hold.
 */
#ifndef DP_AGGREGATES_BINS_H
#define DP_AGGREGATES_BINS_H

#include "postgres.h"

#include "mechanisms/bounds.h"

extern DpBins dp_bins_of_type(Oid type);

/* The bin of a value that is not NULL; false for NaN, which is skipped. */
extern bool dp_bins_find(Oid type, DpBins bins, Datum value, uint32 *bin);

/* An end of a bin as a value of the type: 2^15 is 32767 as smallint. */
extern Datum dp_bins_edge(Oid type, DpEdge edge);

/* The end that such a value shows; {0, 0} for 0. */
extern DpEdge dp_bins_edge_of(Oid type, Datum value);

/*
 * The type in which aggregates over values of a type take their bounds, and an end as
 * such a bound: exactly, so that bounds are never narrower than their bins.
 */
extern Oid dp_bins_bound_type(Oid type);
extern Datum dp_bins_bound(Oid type, DpEdge edge);

#endif
