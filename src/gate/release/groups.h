/*
 * groups.h
 *		The domain of a release's keys, in an execution.
 */
#ifndef DP_GATE_RELEASE_GROUPS_H
#define DP_GATE_RELEASE_GROUPS_H

#include "nodes/execnodes.h"

#include "gate/release/rows.h"

/* Combinations of public key values in one release; more are refused. */
#define DP_GROUPS_MAX 1000000

/* Values in all rows of a release, keys and aggregates; more are refused. */
#define DP_VALUES_MAX 32000000

/* Bytes of all private keys together; more are refused. */
#define DP_KEYS_SIZE_MAX (1 << 27)

typedef struct DpGroups
{
	List *values; /* of DpRows: each key's own values, as rows of one column */
	int64 count;  /* of combinations */
} DpGroups;

struct DpReleaseState;

/*
 * Finds the values of all keys (a List of DpKey), as the current user sees
 * them. node: for the evaluation of query parameters. Reads nothing protected.
 * Lives in the current memory context.
 *
 * Errors: program_limit_exceeded (too many groups); what reading a referenced
 * relation may raise.
 */
extern DpGroups *dp_gate_groups_find(List *keys, PlanState *node);

/* Those of a release's public keys; found once an execution. */
extern const DpGroups *dp_gate_release_groups(struct DpReleaseState *state);

/*
 * Adds a row for each combination of values, the last key's values changing
 * fastest. Errors: program_limit_exceeded (too many values in all rows).
 */
extern void dp_gate_groups_add_rows(const DpGroups *groups, DpRows *rows);

#endif
