/*
 * parameter.h
 *		Values that are found before a question is asked.
 *
 * A sub-query that refers to nothing around it, and reads protected relations
 * by private aggregates alone, has one value in an execution. It is computed
 * first, with the asker's own rights, as if it were a statement of its own:
 * private answers in it are charged then, whatever becomes of the outer
 * question. In the outer question the value is a query parameter, so it is the
 * same question as with the value written out.
 */
#ifndef DP_GATE_READ_PARAMETER_H
#define DP_GATE_READ_PARAMETER_H

#include "gate/read/scope.h"
#include "server/compat.h"

/*
 * The first number that no parameter of a statement has. params: what is known
 * of these, or NULL.
 */
extern int dp_parameter_first(Query *statement, ParamListInfo params);

/* True for a sub-query that is such a value, and that the current user may read. */
extern bool dp_parameter_is_value(const SubLink *link);

/*
 * True for expressions that depend on the asker: current_user,
 * current_setting('...').
 */
extern bool dp_parameter_is_of_asker(const Node *node);

/* The parameter that stands for the one value, of an expression, that a query finds. */
extern Param *dp_parameter_of_query(DpPlanning *planning, const Node *expr,
									Query *query);

/* The same for an expression that depends on the asker. */
extern Param *dp_parameter_of_asker(DpPlanning *planning, const Node *expr);

/*
 * A parameter of a private aggregate, which was folded, with parameters in the
 * place of values that are found before. Refuses what could have another value
 * when it is charged than when it is used: anything but query parameters and
 * immutable functions of PostgreSQL itself over them.
 */
extern Node *dp_parameter_take(DpScope *scope, Node *node);

/* Refuses it alone. location: of what it is a parameter of, for the message. */
extern void dp_parameter_check(Node *node, int location);

/* Such a parameter as a constant, a parameter, or DP_EXPR_MOMENT. */
extern const DpExpr *dp_parameter_read(Node *node);

#endif
