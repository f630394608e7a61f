/*
 * probe.h
 *		Queries that can have no rows, which tools send to learn the columns, and
 *		the server's aggregates over none.
 *
 * A query with LIMIT 0, WHERE false or WHERE 1 = 0 is replaced by one that
 * reads nothing at all and has columns of the same names and types, so it
 * reveals nothing and is free. SELECT count(*) ... WHERE false returns the
 * same row as over any table.
 */
#ifndef DP_GATE_READ_PROBE_H
#define DP_GATE_READ_PROBE_H

#include "nodes/parsenodes.h"

/*
 * If a query that names relations which the user may ask about but not read
 * (gate/relations/kept_back.h) can have no rows by its own clauses, it is
 * replaced as described above, and true is returned. Not if the server would
 * refuse something else that it names. is_block: it has private aggregates.
 */
extern bool dp_probe_empty(Query *query, bool is_block);

#endif
