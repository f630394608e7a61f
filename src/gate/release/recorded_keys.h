/*
 * recorded_keys.h
 *		The keys of a row as text, for the records of a test (random/record.h).
 */
#ifndef DP_GATE_RELEASE_RECORDED_KEYS_H
#define DP_GATE_RELEASE_RECORDED_KEYS_H

#include "nodes/pg_list.h"

#ifdef DP_RECORD
/* keys: DpKeys, in the order of the values. */
extern char *dp_recorded_keys_text(List *keys, const Datum *values,
								   const bool *nulls);
#endif

#endif
