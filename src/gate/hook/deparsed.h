/*
 * deparsed.h
 *		Inner statements as SQL, for developers to read.
 */
#ifndef DP_GATE_HOOK_DEPARSED_H
#define DP_GATE_HOOK_DEPARSED_H

#include "nodes/parsenodes.h"

/*
 * The text of a statement beneath a release (gate/bound/bound.h). Copies of public
 * rows are called "copy of ...". It is no statement that could be run.
 */
extern char *dp_deparsed(const Query *inner);

#endif
