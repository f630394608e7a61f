/*
 * private_aggregates.h
 *		The extension's own aggregates, recognised in queries.
 *
 * They are recognised by the extension that they belong to: a user's function is
 * not one of them, whatever its name.
 */
#ifndef DP_GATE_RELATIONS_PRIVATE_AGGREGATES_H
#define DP_GATE_RELATIONS_PRIVATE_AGGREGATES_H

#include "nodes/parsenodes.h"

#include "aggregates/aggregate.h"

/*
 * True for a function of the extension. In a picture (picture.h) what was found
 * once holds until it is closed.
 */
extern bool dp_private_aggregates_is_own_function(Oid function);

/* False only for functions for which the next one is false: by the name alone. */
extern bool dp_private_aggregates_may_be_one(Oid function);

/* True for any function of the extension whose name begins with dp_. */
extern bool dp_private_aggregates_is_one(Oid function);

/* True for a call of such as an aggregate. */
extern bool dp_private_aggregates_is_call(const Node *node);

/* True for an expression, or a query, that has such itself, not in sub-queries. */
extern bool dp_private_aggregates_named(Node *expression);
extern bool dp_private_aggregates_in(const Query *query);

/* True for a query that has such anywhere. */
extern bool dp_private_aggregates_anywhere(Query *query);

/*
 * The row of a call of one of them, which must have been recognised as such:
 * this looks at its name alone. For others it is an internal error.
 */
extern const DpAggregateTraits *dp_private_aggregates_traits(
	const Aggref *aggref);

/* The gate's forms of them (DpAggregateTraits), by which it finds rows, too. */
typedef enum DpAggregateForm
{
	DP_FORM_OF_ROWS,
	DP_FORM_OF_UNITS,
	DP_FORM_PARTIAL
} DpAggregateForm;

/* The first row that has a function as such a form; NULL: none has. */
extern const DpAggregateTraits *dp_private_aggregates_of_form(
	Oid function, DpAggregateForm form);

#endif
