/*
 * windows.h
 *		Reads window functions of sub-queries.
 */
#ifndef DP_GATE_READ_WINDOWS_H
#define DP_GATE_READ_WINDOWS_H

#include "gate/read/outputs.h"

/* Adds the results of window functions to the rows, if there are such. */
extern void dp_windows_make(DpOutputs *outputs);

#endif
