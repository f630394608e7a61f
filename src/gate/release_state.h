/*
 * release_state.h
 *		A DP Release in execution.
 *
 * Private to the files that execute it: release_scan.c (the node), inner.c
 * (running the aggregates), settle.c (the ledger), release_explain.c.
 */
#ifndef DP_GATE_RELEASE_STATE_H
#define DP_GATE_RELEASE_STATE_H

#include "commands/explain.h"
#include "nodes/execnodes.h"

#include "aggregates/call.h"
#include "gate/release.h"

typedef struct DpReleaseState
{
	CustomScanState css;
	DpRelease *release;
	bool computed; /* the aggregates ran */
	bool done;	   /* the row is there */
	bool returned; /* and was returned since the last rescan */
	Datum *values; /* of the row, one per aggregate */
	bool *nulls;
} DpReleaseState;

/* The scan's methods, for plans; made by release_scan.c. */
extern Node *dp_gate_release_create(CustomScan *scan);

/* Runs the aggregates once, with noise; fills in values and nulls. */
extern void dp_gate_run_inner(DpReleaseState *state);

/* The parameters of one aggregate, checked, as of this execution. */
extern void dp_gate_read_call(DpReleaseState *state, Aggref *aggref,
							  DpCall *call);

/*
 * Makes the rows of some releases of one statement, charging for all of them
 * in one request. Errors: those of dp_ledger_charge.
 */
extern void dp_gate_settle(List *states);

/* EXPLAIN of a release: nothing of the data. */
extern void dp_gate_release_explain(CustomScanState *node, List *ancestors,
									ExplainState *es);

#endif
