/*
 * asked_caps.h
 *		For which aggregates of a question a cap on the rows of a unit is chosen.
 *
 * Where dp_noise.choose_caps asks for it, and the cap is that of a single answer: of
 * aggregates whose noise grows with it and that are bounded by it alone, and whose
 * bounds are not chosen. Not where a unit has one row; where groups are selected by a
 * count, whose threshold must be known before; of several groupings, which share one
 * contribution; and at privacy levels, whose answers share noise. There, the cap is the
 * one that is declared or set. All that is said by the question and declarations.
 */
#ifndef DP_GATE_READ_ASKED_CAPS_H
#define DP_GATE_READ_ASKED_CAPS_H

#include "gate/tree/node.h"

/* Sets the shares of a question that is complete. */
extern void dp_asked_caps_choose(DpQuestion *question);

#endif
