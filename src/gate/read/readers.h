/*
 * readers.h
 *		The readers that call each other in turn (gate/read/scope.h).
 */
#ifndef DP_GATE_READ_READERS_H
#define DP_GATE_READ_READERS_H

#include "gate/read/scope.h"

extern const DpReaders dp_readers;

#endif
