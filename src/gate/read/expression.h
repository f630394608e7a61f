/*
 * expression.h
 *		Reads expressions over protected rows.
 *
 * What is read is total: it cannot fail, has no side effect, keeps no state and
 * reads nothing else, whatever a row holds; functions that can fail run as
 * their wrapped forms. Everything else is refused. Several ways of writing one
 * thing are read as one: constants are evaluated, calls of concat() and the like
 * and comparisons of rows written out, the order of enums becomes comparisons with
 * labels.
 */
#ifndef DP_GATE_READ_EXPRESSION_H
#define DP_GATE_READ_EXPRESSION_H

#include "gate/read/scope.h"
#include "server/compat.h"

/*
 * Evaluates the constants in an expression, which may be changed, and refuses it
 * before if that could run what a user has written (folding.c). what: for the
 * message, such as "WHERE". Whether it may be computed over protected rows is
 * decided on the result.
 *
 * Errors: feature_not_supported, with a position and a hint; those of functions
 * that are evaluated.
 */
extern Node *dp_folding_fold(Node *expression, const char *what);

/*
 * Evaluates the functions of constants in an expression that dp_folding_fold has
 * seen. Where the server's code does not check how long a result is before it
 * asks for memory, as that of bpchar(), its internal error becomes
 * program_limit_exceeded.
 */
extern Node *dp_folding_evaluate(Node *expression);

/* The same as dp_folding_fold of conditions, which may be NULL: a list of those that are ANDed. */
extern List *dp_folding_fold_conditions(const DpScope *scope, Node *node);

/*
 * Reads an expression that was folded. Errors: feature_not_supported, with a
 * position and a hint; those of functions that fail with their constants
 * whatever a row holds.
 */
extern const DpExpr *dp_expression_read_folded(DpScope *scope, Node *node);

/* What is ANDed in conditions that were folded: of const DpExpr. */
extern List *dp_expression_read_folded_conditions(DpScope *scope,
												  List *conditions);

/* Both at once. */
extern const DpExpr *dp_expression_read(DpScope *scope, Node *node);
extern List *dp_expression_read_conditions(DpScope *scope, Node *node);

/*
 * parameter.c: values that are found before a question is asked
 *
 * A sub-query that refers to nothing around it, and reads protected relations
 * by private aggregates alone, has one value in an execution. It is computed
 * first, with the asker's own rights, as if it were a statement of its own:
 * private answers in it are charged then, whatever becomes of the outer
 * question. In the outer question the value is a query parameter, so it is the
 * same question as with the value written out.
 */

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

/*
 * For the files that read single forms
 */

/* A part, or parts, of the expression that is being read. */
extern const DpExpr *dp_expression_read_part(DpScope *scope, Node *node);
extern List *dp_expression_read_parts(DpScope *scope, List *nodes);

/* Of this kind and of the type of a node, over parts (Node). */
extern DpExpr *dp_expression_make(DpScope *scope, DpExprKind kind, Node *node,
								  List *args);

/* An array of elements (Node), whose type another node has. */
extern const DpExpr *dp_expression_make_array(DpScope *scope, Node *array,
											  List *elements);

/* A Const, and a Param of the statement or of the comparison of a sub-query. */
extern const DpExpr *dp_expression_make_constant(Node *node);
extern const DpExpr *dp_expression_make_parameter(Node *node);

/* What has one value in an execution. */
extern const DpExpr *dp_expression_make_moment(Node *node);

/* Refuses a form: feature_not_supported. */
pg_noreturn extern void dp_expression_refuse(const DpScope *scope, Node *node);

/* calls.c: of an OpExpr, a DistinctExpr or a NullIfExpr, as this kind. */
extern const DpExpr *dp_calls_read_operator(DpScope *scope, Node *node,
											DpExprKind kind);
extern const DpExpr *dp_calls_read_function(DpScope *scope, Node *node);

/* An operator, over operands that were read. */
extern const DpExpr *dp_calls_read_comparison(DpScope *scope, const OpExpr *op,
											  List *read);

/* A cast by way of a text. value: what was read of its argument, or NULL. */
extern const DpExpr *dp_calls_read_cast(DpScope *scope, CoerceViaIO *cast,
										const DpExpr *value);

/* x op ANY (array), or ALL; where the operator can fail, a call for each element. */
extern const DpExpr *dp_calls_read_any(DpScope *scope, Node *node);

/* An Aggref or WindowFunc, in a scope with totals. */
extern const DpExpr *dp_calls_read_total(DpScope *scope, Node *call);

/* Refuses a call. */
pg_noreturn extern void dp_calls_refuse(const DpScope *scope, Node *node,
										int location);

/*
 * expanded.c: calls that stand for several others
 *
 * Parts that occur several times are shared, but whoever goes through an
 * expression meets each of them. So expressions have a greatest size. Error:
 * program_limit_exceeded.
 */

/*
 * A call of concat, concat_ws, format, num_nulls or num_nonnulls. NULL for all
 * else, and for calls that cannot be written out: of an array in place of the
 * arguments, or a format that is not a constant of %s.
 */
extern const DpExpr *dp_expanded_call(DpScope *scope, const FuncExpr *call);

/*
 * (a, b) < (1, 2) as a < 1 OR a = 1 AND b < 2. NULL where the operators are not
 * of one order.
 */
extern const DpExpr *dp_expanded_row_order(DpScope *scope,
										   const RowCompareExpr *order);

/*
 * Returns a comparison with a list, or all of them, in which what is compared is
 * not repeated too often if each element has a comparison of its own.
 */
extern const DpExpr *dp_expanded_check_list(const DpExpr *comparison);

/*
 * enums.c: what depends on the labels of an enum, by comparisons for equality
 * alone: the server looks labels up when it comes to a row.
 */

/* < and the like of enums, one of which is a constant, over what was read. */
extern bool dp_enums_is_order(const OpExpr *op);
extern const DpExpr *dp_enums_order(const OpExpr *op, List *args);

/* A cast of an enum to a text, or back. */
extern bool dp_enums_is_cast(const CoerceViaIO *cast);
extern const DpExpr *dp_enums_cast(const CoerceViaIO *cast,
								   const DpExpr *value);

#endif
