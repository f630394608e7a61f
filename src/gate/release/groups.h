/*
 * groups.h
 *		Which groups a release has, in an execution.
 *
 * Where keys are public: every combination of their values, which each
 * execution finds anew; of keys that are found together (gate/facts/together.h)
 * only the tuples that there are. Where keys are private: those that a noisy count
 * selects (group_selection.h), with every combination of the public ones.
 */
#ifndef DP_GATE_RELEASE_GROUPS_H
#define DP_GATE_RELEASE_GROUPS_H

#include "gate/facts/domain.h"
#include "gate/release/group_selection.h"
#include "gate/release/release_plan.h"
#include "gate/release/row_table.h"

/* Values in all rows of a release, keys and aggregates; more are refused. */
#define DP_VALUES_MAX 32000000

/* Bytes of all private keys together; more are refused. */
#define DP_KEYS_SIZE_MAX (1 << 27)

/* The values of a public key, or the tuples of several that are found together. */
typedef struct DpKeyValues
{
	List *keys;			/* their places among the public keys, from 0 */
	const char *domain; /* in words */
	DpRowTable *tuples; /* a column for each */
} DpKeyValues;

typedef struct DpGroups
{
	const DpReleasePlan *plan;
	const DpOutline *outline; /* The plan's. */
	PlanState *node; /* Evaluates parameters; its memory keeps the values. */

	/*
	 * The values of all public keys, DpKeyValues, and how many combinations of
	 * them there are: once dp_groups_find was called.
	 */
	List *values;
	int64 count;
	bool are_found;

	/*
	 * How private groups are selected; NULL where none are, and where they are
	 * those of a stored answer.
	 */
	DpGroupSelection *selection;
} DpGroups;

/* Groups of which nothing is known yet. */
extern void dp_groups_init(DpGroups *groups, const DpReleasePlan *plan,
						   PlanState *node);

/* Whether some keys are private, or public. */
extern bool dp_groups_are_private(const DpGroups *groups);
extern bool dp_groups_have_public_keys(const DpGroups *groups);

/*
 * Finds the values of all public keys, as the current user sees them, once an
 * execution. Reads nothing protected.
 *
 * Errors: program_limit_exceeded (too many groups); what reading a referenced
 * relation may raise.
 */
extern const DpGroups *dp_groups_find(DpGroups *groups);

/*
 * Adds a row for each combination of values, the last ones changing fastest. Errors: program_limit_exceeded (too many values in all rows).
 */
extern void dp_groups_add_rows(const DpGroups *groups, DpRowTable *rows);

#endif
