/*
 * bounded.h
 *		A column between bounds, and what is computed from its values.
 */
#ifndef DP_GATE_FACTS_BOUNDED_H
#define DP_GATE_FACTS_BOUNDED_H

#include "gate/facts/range.h"
#include "server/ordered_type.h"

/* A column with both bounds: declared ones, narrowed by those of conditions. */
typedef struct DpBounded
{
	const DpExpr *column;
	const DpColumnFact *fact;
	Oid type; /* a base type */
	const DpOrderedType *ordered;
	bool is_stated; /* conditions state both */
	bool has_numbers;
	int64 numbers[2]; /* of integers, dates and times: within the bounds */
	Datum ends[2];	  /* the bounds as values of the column */
} DpBounded;

/*
 * The bounds of a column; false without. *missing: how they are declared, where
 * they could be; else NULL.
 */
extern bool dp_bounded_find(const DpExpr *column, const DpColumnFact *row,
							DpBounded *bounded, const char **missing);

/* A value that is not null, as a server node. */
extern Const *dp_bounded_constant(Oid type, int32 typmod, Datum value);

/*
 * A server node that computes an expression as it is computed for a row, with
 * this in the place of each of its columns.
 */
extern Node *dp_bounded_image(const DpExpr *expr, const Node *value);

#endif
