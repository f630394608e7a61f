/*
 * expression.h
 *		What may be computed over protected rows.
 */
#ifndef DP_GATE_QUESTION_EXPRESSIONS_EXPRESSION_H
#define DP_GATE_QUESTION_EXPRESSIONS_EXPRESSION_H

#include "nodes/primnodes.h"
#include "parser/parse_node.h"

#include "gate/question/relations/refusal.h"
#include "gate/question/relations/relations.h"
#include "gate/tree/functions.h"
#include "server/compat.h"

/*
 * Refuses an expression over the columns of protected relations unless it is
 * total: it cannot fail, has no side effect, keeps no state and reads nothing
 * else, whatever the row holds. what: for the message, such as "WHERE".
 *
 * Errors: feature_not_supported, with a position and a hint.
 */
extern void dp_gate_check_expression(Node *expression,
									 const DpRelations *relations,
									 const char *what);

/*
 * The same of a query so many levels within the block, whose columns and whose
 * neighbours' it may name; sub-queries in it have been dealt with
 * (gate/question/rows/conditions.h). Of what
 * it puts out, the server's own aggregates and window functions may be part, those
 * that cannot fail (gate/question/expressions/totals.h).
 */
extern void dp_gate_check_in_scope(Node *expression,
								   const DpRelations *relations,
								   const char *what, int depth);
extern void dp_gate_check_outputs_in_scope(Node *expression,
										   const DpRelations *relations,
										   const char *what, int depth);

/*
 * Refuses a parameter of an aggregate that could have another value when it is
 * charged than when it is used: only constants, query parameters and immutable
 * functions of PostgreSQL itself over them.
 */
extern void dp_gate_check_parameter(Node *expression, int location);

/*
 * Refuses virtual columns, whose expression is computed when they are read, of
 * protected relations in sub-queries, too: the server inserts the expression
 * after the query was checked here.
 *
 * Errors: feature_not_supported, with a position and a hint.
 */
extern void dp_gate_check_columns(Query *query);

/* True for the functions that such expressions may call. */
static inline bool
dp_gate_is_total(Oid function)
{
	return dp_functions_is_total(function);
}

#endif
