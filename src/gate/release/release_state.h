/*
 * release_state.h
 *		The releases of a statement in execution, and the questions they ask.
 *
 * A release goes through its parts in their order: terms, questions, price,
 * groups, answers. settle.c says when; each part says what it is.
 */
#ifndef DP_GATE_RELEASE_RELEASE_STATE_H
#define DP_GATE_RELEASE_RELEASE_STATE_H

#include "nodes/execnodes.h"

#include "core/marginals.h"
#include "gate/release/answer_table.h"
#include "gate/release/groups.h"
#include "gate/release/table_copies.h"
#include "gate/release/terms.h"
#include "ledger/charge.h"

struct DpReleaseState;

/* Releases that are asked about together: groupings.h. */
typedef struct DpGroupings
{
	List *states;	/* DpReleaseState, all different; the first one asks. */
	List *repeated; /* DpReleaseState that are the same as one of these. */

	/* The following are set by agreement.c. */
	bool have_sizes;	/* The numbers of all keys' values are known. */
	bool drops_groups;	/* A unit may be in more groups than it counts in. */
	DpMarginals tables; /* Keys and sizes, by index in states; no variances. */
} DpGroupings;

/*
 * A question: one aggregate of a release, or several, each about other rows
 * (disjoint.h); of all its groupings. Equal ones of a statement are one object
 * (questions.h).
 */
typedef struct DpAskedQuestion
{
	struct DpReleaseState *state; /* The first release that asks it, ... */
	int aggno; /* ... and the number of its aggregate there, of several the least. */
	int count;	 /* How many aggregates it is about, ... */
	int *aggnos; /* ... and their numbers there, in an order of its own. */

	/*
	 * What is charged for it by itself, in all groupings, as far as that is the
	 * same in all populations: price, fingerprint, names and privacy level.
	 */
	DpCharge charge;

	/* Names the law of its answer, and the rows: equal for equal questions. */
	unsigned char name[DP_FINGERPRINT_SIZE];

	/* What became of it, or would: for EXPLAIN. */
	DpChargePreview told;

	/*
	 * Whether its answer is derived from a stored one (derived.h); then how wide its
	 * interval is, as a part of what it would be if it were asked, and the question
	 * whose answer that is.
	 */
	bool is_derived;
	double derived_width;
	unsigned char source[DP_FINGERPRINT_SIZE];
} DpAskedQuestion;

typedef struct DpReleaseState
{
	CustomScanState css;
	EState *estate; /* The execution that it is in. */
	DpReleasePlan *plan;
	const DpOutline *outline; /* The plan's. */
	Oid acting; /* Who began the statement; InvalidOid: the session's user. */
	bool has_sub_query_values; /* sub_query_values.h: they are found. */
	bool is_done;			   /* The rows may go out. */
	bool has_failed;		   /* They never may. */
	DpTerms terms;			   /* What its aggregates ask for. */
	DpGroupings *groupings;	   /* With which other releases it asks, ... */
	struct DpReleaseState
		*original; /* ... and which of them it repeats; NULL: none. */
	DpAskedQuestion **questions; /* By aggregate; NULL before questions.h. */
	int *places;	 /* By aggregate: its place among those of its question. */
	DpGroups groups; /* Which groups it has. */
	bool has_copies; /* What is public is read (layout.h): */
	DpTableCopies copies;
	DpAnswerTable answers;	  /* Its rows. */
	int64 next;				  /* The next row to return. */
	const DpPreview *preview; /* What would become of the statement, for EXPLAIN
								 * without execution; NULL otherwise. */
} DpReleaseState;

/* Keeps a release that is being executed, as long as its statement's memory. */
extern void dp_release_state_keep(DpReleaseState *state);

/* The releases of a statement in execution, in the order of their start. */
extern List *dp_release_states_of(const EState *estate);

/* The release that asks the questions of a release: the first grouping. */
extern DpReleaseState *dp_release_state_asker(const DpReleaseState *state);

/*
 * Whether a release, one that asks, gets the answer of an aggregate from an equal
 * question before.
 */
extern bool dp_release_state_repeats(const DpReleaseState *state, int aggno);

/* Whether it is by this aggregate that the release asks its question. */
extern bool dp_release_state_asks(const DpReleaseState *state, int aggno);

#endif
