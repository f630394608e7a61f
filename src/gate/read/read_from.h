/*
 * read_from.h
 *		Reads rows: FROM and what stands in it.
 *
 * This, and what it calls for entries and sub-queries, raises feature_not_supported,
 * with a position and a hint, where no rule gives the rows an owner
 * (gate/facts/owner.h), and insufficient_privilege for what the user may not read.
 */
#ifndef DP_GATE_READ_READ_FROM_H
#define DP_GATE_READ_READ_FROM_H

#include "gate/read/scope.h"

/*
 * Reads FROM and WHERE of scope->query, which is changed: plain sub-queries are
 * written out. Of the scope, around, is_in_from, planning and query are given; the
 * rest is set, so that expressions over these rows can be read then. The result is
 * owned or public; its units may still lie along paths (dp_scans_follow).
 */
extern const DpNode *dp_read_from(DpScope *scope);

#endif
