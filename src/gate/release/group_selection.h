/*
 * group_selection.h
 *		Which groups are released whose keys are private.
 *
 * Those whose noisy number of privacy units reaches a threshold
 * (mechanisms/group_threshold.h). If the block asks for dp_count(*), that
 * answer decides, and only delta is paid in addition. Otherwise the units are
 * counted for this purpose, at the price of one more aggregate, with Gaussian
 * noise if that has the lower threshold.
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
#include "mechanisms/noise.h"

struct DpReleaseState;

typedef struct DpGroupSelection
{
	int aggno;		   /* of the aggregate that decides; -1: none does */
	DpNoise noise;	   /* of the deciding count */
	int64_t threshold; /* of a released count */
	DpAmount epsilon;  /* of counting units; 0 where an aggregate decides */
	DpAmount delta;
	bool shares_delta; /* the noise has part of it (gaussian_threshold.h) */

	/* The groups are those of a shared answer: none are selected here. */
	bool is_shared;

	/* DP_VALUES_MAX or DP_KEYS_SIZE_MAX is exceeded: no group is released. */
	bool is_exceeded;
} DpGroupSelection;

/* True where a release has private keys. */
extern bool dp_gate_has_private_keys(const struct DpReleaseState *state);

/*
 * How the groups of a release are selected in this execution; lives as
 * long as that. Errors: feature_not_supported (dp_noise.delta is 0).
 */
extern DpGroupSelection *dp_gate_prepare_group_selection(
	struct DpReleaseState *state);

/*
 * Computes the groups of a release, selects from them and makes its rows, in
 * the order of their keys; or, where there are public keys, makes the rows for
 * the groups to be computed. For dp_gate_run_silently.
 */
extern void dp_gate_select_groups(struct DpReleaseState *state);

#endif
