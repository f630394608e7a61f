/*
 * range.h
 *		Which values an expression may have: bounds, a finite set, null.
 *
 * From what owners declared, from constraints, and from conditions that hold in
 * all rows: WHERE age BETWEEN 20 AND 30 bounds age. Bounds are as public as these;
 * values beyond them are clamped, so they never make an answer less private.
 */
#ifndef DP_GATE_FACTS_RANGE_H
#define DP_GATE_FACTS_RANGE_H

#include "gate/tree/node.h"

/* What is known of a column's values. */
typedef struct DpColumnFact
{
	/*
	 * The relation and column it is a copy of, value by value, where something
	 * may be declared of it: of a protected view where that has declarations of
	 * its own. InvalidOid: it is computed. is_public: of something public.
	 */
	Oid relation;
	AttrNumber attribute;
	bool is_public;
	const DpNode
		*source; /* the scan, view or public rows it comes from; or NULL */
	int source_column; /* there */

	bool may_be_null;

	/* Bounds, inclusive, numeric; those of dates and times are numbers as in
	 * server/ordered_type.h. */
	bool has_lower;
	bool has_upper;
	Datum lower;
	Datum upper;
	bool is_declared; /* by the owner; else they follow from conditions alone */
	bool is_stated;	  /* by conditions, at both ends */

	/* The values that conditions leave it, const DpExpr (constants and
	 * parameters of its type); NIL: any. */
	List *values;
} DpColumnFact;

/* What is known of each column of a node. */
extern DpColumnFact *dp_range_of_columns(const DpNode *node);

/*
 * What is known of the columns of the row that a node's expressions see, with
 * its own conditions.
 */
extern DpColumnFact *dp_range_of_row(const DpNode *node);

/* Of an expression over such a row. */
extern DpColumnFact dp_range_of(const DpExpr *expr, const DpColumnFact *row);
extern bool dp_range_may_be_null(const DpExpr *expr, const DpColumnFact *row);

#endif
