/*
 * release_state.h
 *		A DP Release in execution.
 *
 * Private to the files that execute it: release_scan.c (the node), inner.c
 * (running the aggregates), rows.c and answer.c (what is released), settle.c
 * (the ledger), release_preview.c (what the ledger would say),
 * release_explain.c.
 */
#ifndef DP_GATE_RELEASE_STATE_H
#define DP_GATE_RELEASE_STATE_H

#include "commands/explain.h"
#include "lib/stringinfo.h"
#include "nodes/execnodes.h"

#include "aggregates/call.h"
#include "gate/domain.h"
#include "gate/release.h"
#include "ledger/charge.h"

typedef struct DpReleaseState
{
	CustomScanState css;
	DpRelease *release;
	bool computed; /* the aggregates ran */
	bool done;	   /* the rows are there */

	/* Released rows: columns are the keys, then the aggregates. */
	int columns;
	int rows;
	int next;	   /* to be returned; all since the last rescan */
	Datum *values; /* row by row */
	bool *nulls;
	DpDomain **domains; /* one a key */
	bool *replayed;		/* stored answers, for EXPLAIN ANALYZE */

	/* For EXPLAIN, of all releases of the statement; NULL before. */
	DpPreview *preview;
	uint32 first_charge; /* this release's in the preview */
} DpReleaseState;

/* The scan's methods, for plans; made by release_scan.c. */
extern Node *dp_gate_release_create(CustomScan *scan);

/*
 * Makes room for the rows and fills in the keys: one row for each combination
 * of their values, one in all without keys. Answers are null until they are
 * there. Errors: program_limit_exceeded, and those of dp_gate_public_domain.
 */
extern void dp_gate_make_rows(DpReleaseState *state);

/* The row that has these keys; -1 when a value is in no domain. */
extern int dp_gate_find_row(DpReleaseState *state, const Datum *keys,
							const bool *nulls);

/* Runs the aggregates once, with noise; fills in the rows. */
extern void dp_gate_run_inner(DpReleaseState *state);

/*
 * The answers of one aggregate as bytes to be stored for replay, with all
 * their digits; and back. place: of the aggregate. Rows that were not there
 * when the bytes were made keep null answers.
 */
extern StringInfo dp_gate_write_answer(DpReleaseState *state, int place);
extern void dp_gate_read_answer(DpReleaseState *state, int place,
								const char *bytes, Size size);

/* The parameters of one aggregate, checked, as of this execution. */
extern void dp_gate_read_call(DpReleaseState *state, Aggref *aggref,
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

/* The charges for releases, in order; without answers. Sets their number. */
extern DpCharge *dp_gate_list_charges(List *states, int *count);

/*
 * Sets preview and first_charge of all releases of a statement: what would
 * become of them now. Where that cannot be decided, or all is refused, the
 * preview has no charges, and an error that says why.
 */
extern void dp_gate_preview(DpReleaseState *state);

/* EXPLAIN of a release: nothing of the data. */
extern void dp_gate_release_explain(CustomScanState *node, List *ancestors,
									ExplainState *es);

#endif
