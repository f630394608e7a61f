/*
 * constants.h
 *		Sub-queries as values that are found before a question is asked.
 *
 * A sub-query that refers to nothing around it, and reads protected relations
 * by private aggregates alone, has one value in an execution. It is computed
 * first, with the asker's own rights, as if it were a statement of its own:
 * private answers in it are charged then, whatever becomes of the outer
 * question. In the outer question the value is a query parameter, so it is the
 * same question as with the value written out.
 */
#ifndef DP_GATE_QUESTION_EXPRESSIONS_CONSTANTS_H
#define DP_GATE_QUESTION_EXPRESSIONS_CONSTANTS_H

#include "nodes/params.h"
#include "nodes/parsenodes.h"

#include "gate/question/relations/relations.h"

/*
 * The first number that no parameter of a statement has. params: what is known
 * of these, or NULL.
 */
extern int dp_gate_first_constant(Query *statement, ParamListInfo params);

/*
 * To be called before a statement is taken apart: the parameters for constants
 * get numbers from the first unused one. Never fails. Returns the argument of
 * dp_gate_end_constants.
 */
extern int dp_gate_begin_constants(int first);
extern void dp_gate_end_constants(int before);

/*
 * Reserves numbers for several parameters that the release sets when it is
 * executed; returns the first of them.
 */
extern int dp_gate_take_parameters(int count);

/*
 * The same for expressions that depend on the asker: current_user,
 * current_setting('...').
 */
extern bool dp_gate_is_of_asker(const Node *node);
extern Param *dp_gate_take_of_asker(Node *node, DpRelations *relations);

/*
 * True for a sub-query that is such a value, and that the current user may read
 * himself.
 */
extern bool dp_gate_is_constant(const SubLink *link);

/* Adds its query to relations->constants, and returns the parameter for it. */
extern Param *dp_gate_take_constant(const SubLink *link,
									DpRelations *relations);

#endif
