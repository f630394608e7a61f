/*
 * fingerprint.h
 *		Questions in canonical form, and their fingerprints.
 *
 * A question is one aggregate of a grouping: rows, conditions, group keys,
 * aggregate and its data arguments, without epsilon and mechanism. What makes no
 * other question is said in gate/facts/text.h; besides, FILTER or WHERE (but
 * where groups are selected by a noisy count, or conditions leave public keys
 * fewer values), the order of keys, and which of equal columns names the unit.
 *
 * Which groups there are belongs to a question, since an answer is stored and
 * replayed with them: values of public keys that conditions decide are part of it, and
 * whether a key's values are known beforehand or found in the rows.
 *
 * The types of an aggregate's values and answers belong to it, too, since bounds are
 * rounded for integers and stored answers are read by their type; so do the types of
 * keys, where all integers are one and all texts; and the least number of people of a
 * group that is shown, where owners want more than one. Of settings the session's time
 * zone does, where a value depends on it, and no other one; epsilon, mechanism and
 * privacy levels name draws of a question (release/questions.c).
 */
#ifndef DP_GATE_FACTS_FINGERPRINT_H
#define DP_GATE_FACTS_FINGERPRINT_H

#include "nodes/params.h"

#include "gate/tree/node.h"
#include "ledger/request.h"

/*
 * The form of a question: one of the aggregates, with all keys. are_private:
 * some keys of the grouping are; then WHERE selects groups, and FILTER does
 * not. It is a server node that a plan can carry.
 */
extern List *dp_fingerprint_form(const DpQuestion *question, int aggregate,
								 bool are_private);

/*
 * Writes the SHA-256 of a question's text, 32 bytes, with the values of an
 * execution. keys: numbers of those by which it is grouped. To be called in the
 * session's time zone, not within dp_setting_plain_texts.
 *
 * Errors: undefined_object (a parameter has no value), datatype_mismatch;
 * program_limit_exceeded for values that are too long.
 */
extern void dp_fingerprint_of(const List *form, const Bitmapset *keys,
							  ParamListInfo params,
							  unsigned char fingerprint[DP_FINGERPRINT_SIZE]);

/* The same for people: parameters are not known. */
extern char *dp_fingerprint_description(const List *form,
										const Bitmapset *keys);

/*
 * For each key of a stored answer, which has them in the order of their texts, the
 * place of that key among those given, from 0. Called as dp_fingerprint_of is.
 */
extern int *dp_fingerprint_key_order(const List *form, const Bitmapset *keys,
									 ParamListInfo params);

/*
 * The same as a fingerprint for the selection of groups for several questions;
 * with other questions it is another selection. questions: their fingerprints,
 * concatenated.
 */
extern void dp_fingerprint_of_selection(
	const unsigned char *questions, int count,
	unsigned char fingerprint[DP_FINGERPRINT_SIZE]);

#endif
