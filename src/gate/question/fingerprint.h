/*
 * fingerprint.h
 *		The canonical form of a question, and its fingerprint.
 *
 * A question is one aggregate: relations, conditions, group keys, aggregate
 * and its data arguments, without epsilon and mechanism. Differences in these
 * do not make another question: aliases; the order of group keys, of AND and
 * OR arms, and of joins; commuted or negated operators; BETWEEN and IN written
 * out; widening casts in conditions and of what is counted; FILTER or WHERE (but
 * where groups are selected by a noisy count); ON or WHERE; which of several
 * joined relations names the unit; and a constant or a parameter with its value.
 *
 * The types of an aggregate's values and answers do: bounds are rounded for
 * integers, and a stored answer and the law of its noise are read as what they
 * were written. So do those of keys, of which integers are one, and texts.
 */
#ifndef DP_GATE_QUESTION_FINGERPRINT_H
#define DP_GATE_QUESTION_FINGERPRINT_H

#include "nodes/params.h"
#include "gate/question/relations/relations.h"
#include "ledger/request.h"

/*
 * Writes the SHA-256 of the canonical form, 32 bytes. Expressions must have
 * passed dp_gate_check_expression; parameters are replaced by their values.
 * relations: the protected relations. quals: of the block; may be NULL. keys:
 * of its groups, expressions; NIL without GROUP BY. are_private: some of them;
 * then WHERE selects groups, and FILTER does not.
 */
extern void dp_gate_fingerprint(const DpRelations *relations, Node *quals,
								List *keys, bool are_private, Aggref *aggref,
								ParamListInfo params,
								unsigned char fingerprint[32]);

/*
 * The same for the selection of groups for several questions; with other
 * questions it is another selection. questions: their fingerprints,
 * concatenated.
 */
extern void dp_gate_fingerprint_selection(const unsigned char *questions,
										  int count,
										  unsigned char fingerprint[32]);

/*
 * The positions of the group keys of a question about relations, as written, in
 * the order of their canonical forms, in which the keys of a stored answer
 * stand. Like the fingerprint it depends on the session's time zone, and must
 * be found in it, not within dp_setting_plain_texts.
 */
extern int *dp_gate_key_order(const DpRelations *relations, List *keys,
							  ParamListInfo params);

/* A copy of an expression with values instead of query parameters. */
extern Node *dp_gate_replace_params(Node *node, ParamListInfo params);

#endif
