/*
 * public_key.h
 *		Group keys whose values are known without the rows.
 *
 * Values that the owner declared, a boolean, an enum, CASE over constants, a
 * foreign key to a table that the asking user may read. Every value is
 * released, whether a row has it or not, and rows with another are left out.
 */
#ifndef DP_GATE_PUBLIC_KEY_H
#define DP_GATE_PUBLIC_KEY_H

#include "nodes/params.h"
#include "nodes/primnodes.h"

#include "gate/domain.h"

/*
 * Refuses a group key whose values are not public. Errors:
 * feature_not_supported, with a position and a hint.
 */
extern void dp_gate_check_public_key(Oid relation, Node *key);

/*
 * The domain of a key that was checked, as it is now, in the current memory
 * context. Errors: program_limit_exceeded for more than DP_COMBINATIONS_MAX
 * values, object_not_in_prerequisite_state when the key is no longer public.
 */
extern DpDomain *dp_gate_public_domain(Oid relation, Node *key,
									   ParamListInfo params);

#endif
