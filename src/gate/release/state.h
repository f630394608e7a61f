/*
 * state.h
 *		A DP Release in execution.
 *
 * Created by scan.c (the node) and processed by the other files of this
 * folder, in the order that settle.c sets.
 */
#ifndef DP_GATE_RELEASE_STATE_H
#define DP_GATE_RELEASE_STATE_H

#include "nodes/execnodes.h"

#include "gate/release/groups.h"
#include "gate/release/intervals.h"
#include "gate/release/lookup_rows.h"
#include "gate/release/node.h"
#include "gate/release/rows.h"
#include "gate/release/group_selection.h"
#include "ledger/charge.h"

typedef struct DpReleaseState
{
	CustomScanState css;
	DpRelease *release;
	Oid acting; /* who began the statement; InvalidOid: the session's user */
	DpGroups *groups;	/* of the keys; NULL before it is needed */
	DpRows *rows;		/* as in intervals.h; NULL before they are needed */
	bool has_constants; /* parameters of the execution, if there are any */
	bool laid_out;	/* all rows that are known before anything is computed */
	bool looked_up; /* lookups are open */
	DpLookupRows lookups; /* while they are computed */
	bool computed;		  /* the aggregates ran */
	DpGroupSelection
		*selection; /* of private keys; NULL where they are known */
	bool done;		/* the rows may go out */
	bool failed;	/* they never may */
	int64 next;		/* the next row to return; 0 after a rescan */
	struct DpGroupings
		*groupings;		/* to which it belongs; NULL: it asks alone */
	double share_given; /* its share of the price asked for; 0: not found yet */
	double
		share; /* its share of epsilon: less where groups merge (groupings.h) */
	DpChargePreview *told; /* by aggregate, for EXPLAIN ANALYZE: what became of
							* its question */
	bool *same; /* by aggregate: its question is answered with one before
				 * (equal_questions.h) */

	/* For intervals; laws are by aggno, levels by the number of the end. */
	DpLaw **laws; /* NULL: not known yet */
	struct DpSplit **splits;
	int *sums_columns;
	double *levels;

	/* For EXPLAIN, of all releases of the statement; NULL before. */
	DpPreview *preview;
	uint32 first_charge; /* this release's in the preview */
} DpReleaseState;

#endif
