/*
 * extent.h
 *		Bounds of expressions that follow from those of their columns.
 *
 * By interval arithmetic in numeric, which is exact except for quotients. Where
 * the result would leave the range in which bounds are useful, there are none.
 * Dates and times can be chosen between, but are not computed with.
 */
#ifndef DP_GATE_FACTS_EXTENT_H
#define DP_GATE_FACTS_EXTENT_H

#include "gate/facts/range.h"

/* The extent of all values of an expression except null. */
typedef struct DpExtent
{
	bool is_empty; /* it is always null */
	Datum lower;   /* numeric, inclusive */
	Datum upper;
} DpExtent;

/*
 * Of an expression over a row; false where a part has no bounds, or is none of
 * + - * /, unary minus, abs, round, floor, ceil, trunc, casts among numbers, CASE,
 * COALESCE, NULLIF, GREATEST and LEAST.
 */
extern bool dp_extent_of(const DpExpr *expr, const DpColumnFact *row,
						 DpExtent *extent);

/* Neither NaN nor so great that the next step could fail. */
extern bool dp_extent_is_usable(Datum number);

/* Widens an extent by another. */
extern void dp_extent_add(DpExtent *extent, const DpExtent *other);

#endif
