/*
 * constants.h
 *		Values that are found before a question is asked.
 *
 * A sub-query that refers to nothing around it, and reads protected relations
 * by private aggregates alone, has one value in an execution. It is computed
 * first, with the asker's own rights, as if it were a statement of its own:
 * private answers in it are charged then, whatever becomes of the outer
 * question. In the outer question the value is a query parameter, so it is the
 * same question as with the value written out.
 */
#ifndef DP_GATE_READ_CONSTANTS_H
#define DP_GATE_READ_CONSTANTS_H

#include "gate/tree/planning.h"

/*
 * The first number that no parameter of a statement has. params: what is known
 * of these, or NULL.
 */
extern int dp_constants_first(Query *statement, ParamListInfo params);

/* True for a sub-query that is such a value, and that the current user may read. */
extern bool dp_constants_is(const SubLink *link);

/*
 * True for expressions that depend on the asker: current_user,
 * current_setting('...').
 */
extern bool dp_constants_is_of_asker(const Node *node);

/* The parameter that stands for the one value that a query finds. */
extern Param *dp_constants_take(DpPlanning *planning, const Node *expr,
								Query *query);

/* The same for an expression that depends on the asker. */
extern Param *dp_constants_take_of_asker(DpPlanning *planning,
										 const Node *expr);

#endif
