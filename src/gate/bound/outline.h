/*
 * outline.h
 *		What a grouping of a question asks, in parts.
 *
 * Filled while its statements are written (gate/bound/bound.h), and carried by the plan of
 * its release (gate/release/release_plan.h). Lists of queries become lists of their
 * plans in between.
 */
#ifndef DP_GATE_BOUND_OUTLINE_H
#define DP_GATE_BOUND_OUTLINE_H

#include "gate/bound/unit_aggregates.h"
#include "gate/read/ends.h"
#include "gate/relations/relations.h"
#include "mechanisms/contribution.h"

/* What other nodes compute of rows that Citus keeps there (gate/run/nodes/nodes.h). */
typedef enum DpNodeWork
{
	DP_NODES_NONE, /* there are no other nodes */
	DP_NODES_READ_ROWS,
	DP_NODES_CHOOSE_ROWS,
	DP_NODES_FIND_VALUES,
	DP_NODES_COUNT_POINTS,
	DP_NODES_ADD_UP,
	DP_NODES_BOUND_UNITS
} DpNodeWork;

typedef struct DpOutline
{
	DpRelations relations; /* the protected ones */
	DpContribution contribution;
	uint32 people; /* that a group has at least which is shown; 1: any */
	DpOpenChoices choices;
	List *equated;	  /* units, in joins along foreign keys, in words: String */
	List *keys;		  /* of groups, DpKey; NIL without GROUP BY */
	List *tuples;	  /* of keys that are found together: DpKeyTuples */
	List *aggregates; /* of Aggref */
	DpEnds *ends;	  /* of intervals around them */
	List *levels;	  /* of privacy, Float, descending; NIL: none */

	/*
	 * Beside the aggregates: 1 where the first argument has a value in every row,
	 * else 0.
	 */
	List *certain;
	List *bounds_origins; /* beside: integers, DpBoundsOrigin */

	/*
	 * Bounds that are chosen when the question is answered (gate/bound/choices.h):
	 * beside the aggregates the number of their choice, from 1, or 0 where bounds
	 * are known; what is asked of the rows for each, Aggref of dp_bounds; the first
	 * of the parameters that are their epsilons; and the share of epsilon.
	 */
	List *choice_numbers;
	List *bounds;
	int bounds_parameter;
	double share;

	/*
	 * Beside the aggregates: 1 where a cap on a unit's rows is chosen, at most
	 * that of the contribution; else 0. The share of epsilon for that.
	 */
	List *chooses_cap;
	double cap_share;

	/*
	 * Which of them no row counts in both of (gate/facts/exclusive.h): beside the
	 * aggregates IntList, and 1 where a sum must count 0 as nothing for it, else
	 * 0. NIL where there are none.
	 */
	List *exclusive;
	List *by_zero;

	/*
	 * Beside the aggregates: the forms of the questions
	 * (gate/facts/fingerprint.h), and the numbers of the keys there; of its own,
	 * and of others by which units are bounded, too.
	 */
	List *forms;
	List *finer; /* lists of finer questions (gate/facts/finer.h); or NIL */
	List *key_numbers;
	List *other_key_numbers;

	/*
	 * Calls with parameters that could make them fail, which is found before a
	 * price: expressions, with any columns.
	 */
	List *probes;

	/* What is read or found first: Query, then PlannedStmt. */
	List *lookups;			/* rows of what is public: DpPublic.rows */
	List *lookup_keys;		/* beside: IntList, columns no two rows agree in */
	List *constants;		/* values: gate/read/parameter.h */
	List *constant_numbers; /* beside: of the parameters that they are */
	int row_constants; /* how many constants, at the front, are those of FROM
						* and WHERE */

	/*
	 * Where rows of protected relations are copied (gate/relations/row_copies.h), in
	 * the order of theirs; of a single one there may be several copies.
	 */
	List *copies;
	DpNodeWork node_work;
	List *node_checks; /* beside the copies (gate/run/nodes/ready.h); or NIL */

	/* What is public in it may be other rows for other roles. */
	bool is_of_role;

	/*
	 * Aggregates or window functions are computed of its groups, some of which are
	 * left out (set by gate/hook/planner.c).
	 */
	bool are_combined;

	int family; /* a number that the groupings of a query share; 0: it has one */
	bool
		are_of_one; /* its groupings are tables of the same rows, by public keys */
} DpOutline;

/* Lists copied as by copyObject. */
extern DpOutline dp_outline_copy(const DpOutline *outline);

#endif
