/*
 * group_selection.h
 *		By which noisy count groups are selected whose keys are private.
 *
 * Released are those whose noisy number of privacy units reaches a threshold
 * (mechanisms/group_threshold.h). If the block asks for dp_count(*), that
 * answer decides, and only delta is paid in addition; its noise may be another then
 * (deciding_count.h). Otherwise the units are counted for this purpose, at the price
 * of one more aggregate, with the noise that has the lowest threshold: geometric,
 * which may end somewhere, or Gaussian. Groups of fewer people than the owner wants
 * are never shown (mechanisms/group_people.h).
 *
 * Where all keys are private, the groups are selected as they are computed.
 * Where some are public, the private ones are selected first, by themselves,
 * and each comes with every value of the public ones.
 *
 * Nothing else reveals groups that are not shown: the price is fixed before a
 * row is read, whatever the number of groups. Rows are returned in the order
 * of their keys, not in one that depends on the data. Where equal values are
 * written in several ways, one form is shown, whichever rows have it. Limits
 * apply to selected groups only, and are checked after the charge.
 */
#ifndef DP_GATE_RELEASE_GROUP_SELECTION_H
#define DP_GATE_RELEASE_GROUP_SELECTION_H

#include "accounting/amount.h"
#include "gate/release/terms.h"
#include "mechanisms/noise.h"

typedef struct DpGroupSelection
{
	int aggno;		   /* Which aggregate decides; -1: a count made for it. */
	DpNoise noise;	   /* The noise of the count that decides. */
	int64_t threshold; /* What that count must reach, with its noise. */
	uint32 people;	   /* How many units the group must have besides. */
	DpAmount epsilon;  /* The price of a count made for it; else 0. */
	DpAmount delta;	   /* What selecting costs, with its noise's part. */
	DpAmount rest;	   /* That without what the price of an aggregate has. */
	int64_t reach; /* Where its noise ends (truncated_count.h); 0: nowhere. */
	bool shares_delta; /* The noise has part of it (gaussian_threshold.h). */

	/* The groups are those of a shared answer: none are selected here. */
	bool is_shared;

	/* DP_VALUES_MAX or DP_KEYS_SIZE_MAX is exceeded: no group is released. */
	bool is_exceeded;
} DpGroupSelection;

/*
 * How the groups of a release are selected in this execution; lives as
 * long as that. Errors: feature_not_supported (dp_noise.delta is 0).
 */
extern DpGroupSelection *dp_group_selection_prepare(DpTerms *terms);

/*
 * Selection by a count as it is to be answered. selection: its delta is set. False: it
 * cannot decide.
 */
extern bool dp_group_selection_by(DpTerms *terms, int aggno,
								  DpGroupSelection *selection);

/*
 * Noise and threshold of a count with Gaussian noise for a part of delta, as if that
 * were its mechanism. False: there are none.
 */
extern bool dp_group_selection_try(const DpOutline *outline, const DpCall *call,
								   DpGroupSelection *selection);

#endif
