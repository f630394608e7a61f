/*
 * public_entries.h
 *		Reads what is public.
 */
#ifndef DP_GATE_READ_PUBLIC_ENTRIES_H
#define DP_GATE_READ_PUBLIC_ENTRIES_H

#include "gate/read/scope.h"

/*
 * An entry of FROM (dp_publics_is_public); conditions as of dp_entries_read: those of this entry
 * alone are applied to the copy. Its columns are those that the query names.
 */
extern const DpNode *dp_public_entries_read(DpScope *scope, int rtindex,
											List **conditions,
											const AttrNumber **attributes);

/* A sub-query in an expression, with all of its columns; EXISTS may have none. */
extern const DpNode *dp_public_entries_read_query(DpScope *scope, Query *query);

/* One row without columns: what a query without FROM reads. */
extern const DpNode *dp_public_entries_read_nothing(void);

#endif
