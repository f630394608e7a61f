/*
 * canonical.h
 *		Expressions in canonical form: texts that are the same for all ways of
 *		writing one.
 *
 * Two expressions with the same text have the same value over every row;
 * replaying answers relies on that. Not all ways of writing one expression
 * have the same text: where it is in doubt, they have two. Columns are written
 * by their names, which stay the same when a table is restored, or dropped and
 * created again; if there are several relations, with that relation's number
 * in the extension's tables.
 */
#ifndef DP_GATE_QUESTION_EXPRESSIONS_CANONICAL_H
#define DP_GATE_QUESTION_EXPRESSIONS_CANONICAL_H

#include "gate/question/relations/relations.h"

/*
 * The text of an expression that has passed dp_gate_check_expression, without
 * query parameters. A list of conditions is ANDed.
 */
extern char *dp_gate_canonical(const DpRelations *relations, Node *expression);

/*
 * The text of FROM of the relations' frame, with the conditions of outer joins.
 * NULL for a single relation, whose columns are written by their names.
 */
extern char *dp_gate_canonical_rows(const DpRelations *relations);

#endif
