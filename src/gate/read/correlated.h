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
 *	(SELECT c1 FROM (SELECT count(*), v.store FROM visits v WHERE v.paid
 *		GROUP BY v.store) AS answers (c1, c2) WHERE c2 = s.id)
 *
 * So people are asked about once, whatever rows are around; where there is no
 * such group, the sub-query is null. It is left as it is where it refers to the row
 * around it in any other way, has more clauses than FROM and WHERE, or compares by
 * other equality than that by which rows are grouped.
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
