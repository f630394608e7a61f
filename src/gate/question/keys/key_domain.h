/*
 * key_domain.h
 *		Which expressions have a public set of values.
 */
#ifndef DP_GATE_QUESTION_KEYS_KEY_DOMAIN_H
#define DP_GATE_QUESTION_KEYS_KEY_DOMAIN_H

#include "gate/question/keys/key.h"

/*
 * Fills in sources, is_nullable and domain of a key from its expression, which
 * has been checked. False when its values are not public.
 *
 * Public are: booleans; enums; constants and query parameters; what WHERE
 * leaves few values (gate/question/keys/stated_values.h); columns
 * with values that the owner declared; columns with a foreign key to a column
 * that the current user may read, of a relation that is not protected; columns
 * of what is public; and of all these what CASE, COALESCE, NULLIF and conversions to a wider type make.
 */
extern bool dp_gate_find_domain(DpKey *key, const DpRelations *relations);

#endif
