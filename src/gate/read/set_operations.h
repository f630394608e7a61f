/*
 * set_operations.h
 *		UNION, INTERSECT and EXCEPT of people's rows, in other words.
 */
#ifndef DP_GATE_READ_SET_OPERATIONS_H
#define DP_GATE_READ_SET_OPERATIONS_H

#include "nodes/parsenodes.h"

/*
 * Writes a query that is a set operation without ALL as DISTINCT of a UNION ALL, or of
 * rows of the left side for which there is, or is no, equal row on the right:
 *
 *	SELECT p, x FROM a INTERSECT SELECT p, x FROM b
 *
 * becomes
 *
 *	SELECT DISTINCT p, x FROM (SELECT p, x FROM a) AS l WHERE EXISTS (SELECT FROM
 *		(SELECT p, x FROM b) AS r WHERE l.p = r.p AND (l.x = r.x OR l.x IS NULL AND r.x IS NULL))
 *
 * True if it was written so. It is left as it is if it is nothing but UNION ALL, has
 * more clauses, INTERSECT ALL or EXCEPT ALL, sides whose columns have other types
 * than the result or nondeterministic collations, or no column that tells whose the
 * row is on both sides (tells_unit.h).
 */
extern bool dp_set_operations_write(Query *query);

#endif
