/*
 * correlated.h
 *		Sub-queries about people for each row of what is public.
 */
#ifndef DP_GATE_READ_CORRELATED_H
#define DP_GATE_READ_CORRELATED_H

#include "nodes/parsenodes.h"

/*
 * Writes a scalar sub-query that combines the rows which equal something of the row
 * around it as one question, grouped by what is compared, and a look at its groups:
 *
 *	(SELECT count(*) FROM visits v WHERE v.store = s.id AND v.paid)
 *
 * becomes
 *
 *	(SELECT coalesce(c1, 0) FROM (SELECT) AS one LEFT JOIN (SELECT count(*), v.store
 *		FROM visits v WHERE v.paid GROUP BY v.store) AS answers (c1, c2) ON c2 = s.id)
 *
 * So people are asked about once, whatever rows are around. Where no such group
 * is shown, counts are 0 and other aggregates null, as SQL has them without rows (of
 * private keys, that may be a group of few); what is computed from them is computed
 * from that, after the answers. What is computed together with the aggregates
 * (divisions by counts, dp_low and dp_high), and what has sub-queries itself, is null
 * there. It is left as it is where it refers to the row around it in any other way,
 * has more clauses than FROM and WHERE, or compares by other equality than that by
 * which rows are grouped.
 *
 * Returns the query of the groups, or NULL where all is left. It is looked at like
 * any other: nothing is answered that would not be if it had been written so.
 */
extern Query *dp_correlated_group(Query *query);

/*
 * The same for a sub-query of FROM that is LATERAL: each of its columns becomes such
 * a scalar sub-query, so that there is one row as before. Returns the queries of
 * the groups, one a column; NIL where all is left.
 */
extern List *dp_correlated_group_each(Query *query);

#endif
