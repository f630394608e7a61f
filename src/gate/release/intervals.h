/*
 * intervals.h
 *		Intervals around released answers.
 *
 * Post-processing: they are computed from released values, the laws of their
 * noise and public parameters alone.
 */
#ifndef DP_GATE_RELEASE_INTERVALS_H
#define DP_GATE_RELEASE_INTERVALS_H

#include "gate/release/answer_table.h"

/*
 * Finds the levels of an execution, before anything is charged. Error:
 * invalid_parameter_value.
 */
extern void dp_intervals_find_levels(DpAnswerTable *table);

/* Fills in the ends of intervals, once all answers are there. */
extern void dp_intervals_fill(DpAnswerTable *table);

#endif
