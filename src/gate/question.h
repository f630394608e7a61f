/*
 * question.h
 *		The canonical form of a question, and its fingerprint.
 *
 * A question is one aggregate: relation, conditions, aggregate and its data
 * arguments, without epsilon and mechanism. Questions that only differ in
 * aliases, in the order of AND and OR arms, in commuted or negated operators,
 * in BETWEEN and IN written out, in widening casts, in FILTER against WHERE or
 * in a constant against a parameter of that value are the same.
 */
#ifndef DP_GATE_QUESTION_H
#define DP_GATE_QUESTION_H

#include "nodes/params.h"
#include "nodes/primnodes.h"

/*
 * Writes the SHA-256 of the canonical form, 32 bytes. Expressions must have
 * passed dp_gate_check_expression; parameters are replaced by their values.
 * relation: the protected one. quals: of the block; may be NULL.
 */
extern void dp_gate_fingerprint(Oid relation, Node *quals, Aggref *aggref,
								ParamListInfo params,
								unsigned char fingerprint[32]);

#endif
