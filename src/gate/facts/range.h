/*
 * range.h
 *		Which values columns and expressions may have: bounds, and whether null.
 *
 * From what owners declared and from constraints. These are as public as the
 * question; values beyond bounds are clamped, or their groups left out. So bounds
 * never make an answer less private, however wide or wrong they are.
 *
 * Bounds are numeric; those of dates and times are numbers as in
 * server/ordered_type.h. Ends are inclusive.
 */
#ifndef DP_GATE_FACTS_RANGE_H
#define DP_GATE_FACTS_RANGE_H

#include "gate/tree/node.h"

/* What is known of the values of a column, or of an expression. */
typedef struct DpColumnFact
{
	/*
	 * The scan or public rows of which it is a column, value by value, and
	 * which; NULL: it is computed, or comes from several.
	 */
	const DpNode *source;
	int source_column;

	/*
	 * The relation and column by which values are declared, whether they are or
	 * not: of the source, or of a protected view above it that has
	 * declarations of its own. InvalidOid: public, or computed.
	 */
	Oid relation;
	AttrNumber attribute;

	bool may_be_null;
	bool is_null; /* in all rows; it has no bounds then */

	/* The bounds that follow from declared ones. */
	bool has_bounds;
	bool is_declared; /* they are declared for this very column */
	bool
		by_conditions; /* a question's conditions narrowed them: value_range.h */
	Datum lower;
	Datum upper;

	/* Of an interval: gate/facts/interval_fields.h; NULL: they may be any. */
	const struct DpIntervalFields *fields;
} DpColumnFact;

/* What is known of each column of a node. */
extern DpColumnFact *dp_range_of_columns(const DpNode *node);

/*
 * What is known of the columns of the row that a node's expressions see. Of a
 * question these are only the rows that count: those that have a unit.
 */
extern DpColumnFact *dp_range_of_row(const DpNode *node);

/* The same of the rows of a question that is still to be made. */
extern DpColumnFact *dp_range_of_counted(const DpNode *rows);

/*
 * Of an expression over such a row. Its bounds follow by interval arithmetic in
 * numeric, which is exact except for quotients: through + - * /, unary minus, abs,
 * round, floor, ceil, trunc, casts among numbers, CASE, COALESCE, NULLIF, GREATEST
 * and LEAST, lengths of varchar(n), and with dates, times and intervals
 * (range_times.h). Where a part has none, or they would leave the range in which
 * they are useful, there are none.
 */
extern DpColumnFact dp_range_of(const DpExpr *expr, const DpColumnFact *row);

/* Whether values of a type have bounds at all. */
extern bool dp_range_can_have_bounds(Oid type);

/* Neither NaN nor so great that the next step could fail. */
extern bool dp_range_is_usable(Datum number);

/* Gives a range bounds that nobody declared, or none where these are not usable. */
extern void dp_range_set_bounds(DpColumnFact *range, Datum lower, Datum upper);

/* The values of one thing or another. Of nothing: {.is_null = true}. */
extern void dp_range_add(DpColumnFact *range, const DpColumnFact *other);

#endif
