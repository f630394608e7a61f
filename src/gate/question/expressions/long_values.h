/*
 * long_values.h
 *		How many long values a row of a statement may have.
 *
 * The server cannot make a row or an array of more than 1 GB. If it depended
 * on a protected row whether it has to, the failure would reveal something
 * about that row, however little the question costs. So a long value has at
 * most 1 MB (expressions/guards.h), and a statement has no more of them than
 * fit, whatever the rows hold. Nor does a single row take more memory than
 * that.
 */
#ifndef DP_GATE_QUESTION_EXPRESSIONS_LONG_VALUES_H
#define DP_GATE_QUESTION_EXPRESSIONS_LONG_VALUES_H

#include "gate/question/relations/relations.h"

/*
 * Refuses statements beneath a release that may make rows or arrays of too many
 * long values: feature_not_supported. statements: of Query, NULL left out. The
 * columns of what is public must be those that are read.
 */
extern void dp_gate_check_long_values(const DpRelations *relations,
									  List *statements);

/* Whether values of a type can be long: texts, arrays and the like. */
extern bool dp_gate_can_be_long(Oid type);

#endif
