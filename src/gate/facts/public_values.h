/*
 * public_values.h
 *		The values of what is computed from public columns alone.
 *
 * In a question's rows an expression over columns of public rows only has values
 * that it has over these rows themselves, after the conditions on them alone; and
 * where they are on the nullable side of a left join the value that it has over
 * nulls. So have several such expressions: together they only have tuples
 * that occur there. A column that an inner join equates with a public one is as
 * public as that, since all its values are values of the other.
 *
 * All that is left out by this are groups that no row can be in. So it depends on
 * the question and on public rows alone, and a wrong rule here would change
 * which groups are released, never what their answers reveal.
 */
#ifndef DP_GATE_FACTS_PUBLIC_VALUES_H
#define DP_GATE_FACTS_PUBLIC_VALUES_H

#include "gate/facts/public_sets.h"

/*
 * Queries for the values of expressions that a set decides, a column each, in
 * order and each tuple once: one or two, the second for the row of nulls. Nulls
 * among the values are values that rows may have.
 */
extern List *dp_public_values_queries(const DpNode *rows,
									  const DpPublicSet *set,
									  const List *exprs);

/* The names of the members whose columns some expressions name. */
extern char *dp_public_values_names(const DpNode *rows, const DpPublicSet *set,
									const List *exprs);

#endif
