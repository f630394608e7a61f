/*
 * doubts.h
 *		What protect() warns of.
 */
#ifndef DP_LEDGER_DOUBTS_H
#define DP_LEDGER_DOUBTS_H

#include "postgres.h"

/*
 * Warns of what is declared of a relation where that is allowed, and often a
 * mistake. Names nothing but the relation itself and its population.
 */
extern void dp_doubts_tell(Oid relation, const char *population);

#endif
