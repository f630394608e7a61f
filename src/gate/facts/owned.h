/*
 * owned.h
 *		What is known of whose some rows are. The rules are in owner.h.
 */
#ifndef DP_GATE_FACTS_OWNED_H
#define DP_GATE_FACTS_OWNED_H

#include "nodes/pg_list.h"

typedef enum DpOwnerProblem
{
	DP_OWNER_FINE,
	DP_OWNER_OTHER_UNITS,	   /* a join of owned rows whose units differ */
	DP_OWNER_ROW_UNITS,		   /* the same, of units that are rows */
	DP_OWNER_GROUPS_OF_OTHERS, /* groups, or distinct rows, of several units */
	DP_OWNER_WINDOW_OF_OTHERS,
	DP_OWNER_UNION_OF_PUBLIC, /* owned and public parts of a UNION ALL */
	DP_OWNER_UNION_OF_OTHERS, /* its parts have several sorts of units */
	DP_OWNER_COLLATION, /* units meet whose equality is of a nondeterministic collation */
	DP_OWNER_SUBQUERY,			 /* a sub-query of other units' rows */
	DP_OWNER_SUBQUERY_COLLATION, /* as above */
	DP_OWNER_SUBQUERY_OF_PUBLIC, /* one of owned rows, for public ones */
	DP_OWNER_NAMELESS /* all names were lost: an error of whoever made the node */
} DpOwnerProblem;

typedef struct DpOwner
{
	bool is_owned;

	/*
	 * Of DpUnitName. NIL: nothing names the unit of a row; each row of the scan
	 * that it comes from is another unit's.
	 */
	List *names;

	/*
	 * Of DpUnitName: which rows of relations it is, or refers to (references.h).
	 * They name nobody.
	 */
	List *references;

	/* A value names it, or a row that is a unit: here or in rows beneath. */
	bool has_value;
	bool has_row;

	/* Whose people decide about the rows, and whose relations: ascending. */
	List *populations;
	List *hosts;

	/* Removing a unit of one population may put a row in another's place. */
	bool exchanges;

	bool is_loose; /* units' equality is of a nondeterministic collation */

	DpOwnerProblem problem; /* of this node, or of one beneath */
	int problem_input; /* which of the inputs, or which window call, has it */
} DpOwner;

/* Whether a row's unit and that of a row that it meets may be compared by keys. */
static inline bool
dp_owned_trusts_keys(const DpOwner *one, const DpOwner *other,
					 const List *hosts)
{
	return !(one->has_value && other->has_value && list_length(hosts) > 1) &&
		   !(one->has_row && other->has_row);
}

#endif
