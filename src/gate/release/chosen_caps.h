/*
 * chosen_caps.h
 *		Caps on the rows of a unit that are chosen together with answers.
 *
 * A share of an aggregate's epsilon buys its cap: a walk over true numbers of units
 * (gate/bound/sizes.h, mechanisms/chosen_cap.h), after the charge and before the
 * aggregates, of which the cap is a parameter. What both cost is argued in
 * accounting/chosen_price.h. The cap is stored with the answer: who gets it again, or
 * shares it, is told the same one. Aggregates that pay the same for it have one draw.
 */
#ifndef DP_GATE_RELEASE_CHOSEN_CAPS_H
#define DP_GATE_RELEASE_CHOSEN_CAPS_H

#include "gate/release/release_state.h"

/*
 * Chooses the caps of a release, DpReleaseState, whose price is charged. To be run as
 * other statements beneath it are.
 */
extern void dp_chosen_caps_find(void *state);

/* Tells which caps were chosen, in a NOTICE for each that is another. */
extern void dp_chosen_caps_tell(List *states);

#endif
