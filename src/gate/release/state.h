/*
 * state.h
 *		A DP Release in execution.
 *
 * Private to the files that execute it: scan.c (the node), settle.c (in
 * what order), constants.c (values that it waits for), asking.c (to and from the ledger), charges.c (the price),
 * groupings.c (several as one question), intervals.c (around answers), inner.c (running the aggregates), group_selection.c (private keys), ladder.c
 * (privacy levels), answer.c (what is stored), preview.c (what the ledger would
 * say), explain.c.
 */
#ifndef DP_GATE_RELEASE_STATE_H
#define DP_GATE_RELEASE_STATE_H

#include "commands/explain.h"
#include "lib/stringinfo.h"
#include "nodes/execnodes.h"

#include "aggregates/call.h"
#include "aggregates/describe.h"
#include "gate/release/groups.h"
#include "gate/release/intervals.h"
#include "gate/release/lookup_rows.h"
#include "gate/release/node.h"
#include "gate/release/rows.h"
#include "gate/release/group_selection.h"
#include "ledger/charge.h"
#include "server/compat.h"

typedef struct DpReleaseState
{
	CustomScanState css;
	DpRelease *release;
	DpGroups *groups;	/* of the keys; NULL before it is needed */
	DpRows *rows;		/* as in intervals.h; NULL before they are needed */
	bool has_constants; /* parameters of the execution, if there are any */
	bool laid_out;	/* all the rows that are known before they are computed */
	bool looked_up; /* lookups are open */
	DpLookupRows lookups; /* while they are computed */
	bool is_public_read;  /* the rows are made, and lookups */
	bool computed;		  /* the aggregates ran */
	DpGroupSelection
		*selection; /* of private keys; NULL where they are known */
	bool done;		/* the rows may go out */
	bool failed;	/* none ever will */
	int64 next;		/* to be returned; all since the last rescan */
	struct DpGroupings *groupings; /* it is one of; NULL: it asks alone */
	double share_given;			   /* of all that is asked for; 0: not found */
	double share;				   /* of epsilon: that, but for what merges */
	bool *replayed;				   /* stored answers, for EXPLAIN ANALYZE */
	bool *shared; /* by aggregate: what the same question before is answered
					 * with (sharing.h) */

	/* Of intervals: by place of the aggregates; levels by number of the ends. */
	DpLaw **laws; /* NULL: not known yet */
	struct DpSplit **splits;
	int *sums_columns;
	double *levels;

	/* For EXPLAIN, of all releases of the statement; NULL before. */
	DpPreview *preview;
	uint32 first_charge; /* this release's in the preview */
} DpReleaseState;

/* The scan's methods, for plans; made by scan.c. */
extern Node *dp_gate_release_create(CustomScan *scan);

/* The values of the release's public keys; found once an execution. */
extern const DpGroups *dp_gate_release_groups(DpReleaseState *state);

/*
 * Runs a function that reads protected rows. Errors: its own where they cannot
 * tell of rows, and those of resources, for dp_gate_raise; otherwise
 * data_exception.
 */
extern void dp_gate_run_silently(DpReleaseState *state,
								 void (*function)(DpReleaseState *));

/*
 * Raises an error that came between the charge and the rows, and that nobody
 * handles any more. How much memory or disk a question takes depends on the
 * rows, so all errors of that kind are one, insufficient_resources, without
 * content; the cause goes to the server's log, without its message.
 */
pg_noreturn extern void dp_gate_raise(ErrorData *error);

/*
 * Runs the aggregates once, with noise, and fills in the rows that are there;
 * groups that they do not have are left out. For dp_gate_run_silently.
 */
extern void dp_gate_run_inner(DpReleaseState *state);

/* Answers to a statement are stored as far as they fit in so many bytes: the
 * ledger worker, which writes them, keeps all others waiting meanwhile. */
#define DP_ANSWER_MAX (16 * 1024 * 1024)

/*
 * The answers of one aggregate as bytes to be stored for replay, with all
 * their digits; NULL where they are too long for that. place: of the aggregate.
 */
extern StringInfo dp_gate_write_answer(DpReleaseState *state, int place);

/*
 * Puts stored answers of an aggregate in the place of what its column holds.
 * Rows that are not there yet are added, and those that the bytes do not have
 * get null.
 */
extern void dp_gate_read_answer(DpReleaseState *state, int place,
								const char *bytes, Size size);

/*
 * The same with what others may have asked: rows that are not there are not
 * added, since not everybody may see every group.
 */
extern void dp_gate_read_chain(DpReleaseState *state, int place,
							   const char *bytes, Size size);

/*
 * Puts what an aggregate of a release is answered with in the place of what an
 * aggregate of another one holds, or of the same; both are one question. Rows
 * that are not there yet are added, as of a stored answer.
 */
extern void dp_gate_copy_answer(DpReleaseState *from, int from_place,
								DpReleaseState *to, int place);

/*
 * The parameters of one aggregate, checked, as of this execution. True where it
 * is answered at privacy levels (gate/release/ladder.h).
 */
extern bool dp_gate_read_call(DpReleaseState *state, Aggref *aggref,
							  DpCall *call);

/*
 * Makes the rows of some releases of one statement, charging for all of them
 * in one request. Errors: those of dp_ledger_charge.
 */
extern void dp_gate_settle(List *states);

/* The releases of a statement in execution, in the order of their start. */
extern List *dp_gate_releases_of(EState *estate);

/*
 * Refuses to ask for releases where an answer would not be paid for, or would
 * be seen elsewhere: feature_not_supported, insufficient_privilege.
 */
extern void dp_gate_check_asker(List *states);

/*
 * Describes a call of this execution, with what it costs here. Error:
 * feature_not_supported for gaussian noise that cannot be charged.
 */
extern void dp_gate_describe(const DpReleaseState *state, const DpCall *call,
							 DpDescription *description);

/* What a charge is for. */
typedef struct DpQuestion
{
	DpReleaseState *state;
	int place;	   /* of the aggregate; their number: the selection of groups */
	bool is_joint; /* of a further relation of the question before */
	DpMechanismChoice choice; /* as asked for */
	uint32 cap;				  /* values of a unit that count; 0: not said */
} DpQuestion;

/*
 * The charges for releases, in order, without answers: for each aggregate and,
 * where groups are selected by a count of their own, for that; of joined
 * relations for each in turn. Sets their number. questions: what they are for, or NULL.
 */
extern DpCharge *dp_gate_list_charges(List *states, int *count,
									  DpQuestion **questions);

/*
 * What the selection of groups asks for and costs: of a count of its own all, of
 * one of the aggregates' the delta of its threshold.
 */
extern void dp_gate_price_selection(const DpReleaseState *state,
									DpAmount *asked, DpPrivacyCost *cost);

/* The number of charges for a release; those of groupings are the first one's. */
extern int dp_gate_count_charges(const DpReleaseState *state);

/*
 * Sets preview and first_charge of all releases of a statement: what would
 * become of them now. Where that cannot be decided, or all is refused, the
 * preview has no charges, and an error that says why.
 */
extern void dp_gate_preview(DpReleaseState *state);

/* EXPLAIN of a release: nothing of the data. */
extern void dp_gate_explain_keys(DpReleaseState *state, ExplainState *es);
extern void dp_gate_release_explain(CustomScanState *node, List *ancestors,
									ExplainState *es);

#endif
