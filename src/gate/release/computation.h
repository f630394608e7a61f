/*
 * computation.h
 *		Runs the inner statements of releases: what is drawn, is drawn here.
 */
#ifndef DP_GATE_RELEASE_COMPUTATION_H
#define DP_GATE_RELEASE_COMPUTATION_H

#include "gate/release/price.h"

/*
 * Runs the aggregates of the releases that have to be computed. What is public
 * is read first, for all of them: there functions of users may run, but not
 * after it was made sure that the relations are those that were planned for.
 */
extern void dp_computation_run(const DpPrice *price);

#endif
