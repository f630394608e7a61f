/*
 * declared.h
 *		What owners declared of the values of columns, and privacy levels.
 *
 * Look-ups in the picture of the statement that is being planned
 * (gate/relations/picture.h), which must be open.
 */
#ifndef DP_GATE_RELATIONS_DECLARED_H
#define DP_GATE_RELATIONS_DECLARED_H

#include "access/attnum.h"
#include "nodes/pg_list.h"

/*
 * The bounds that the owner declared for a column, as numeric; false without,
 * and where they were declared when it had a type of another kind. Those of
 * dates and times are numbers as in server/ordered_type.h. type: a base type.
 * Results live in the current memory context.
 */
extern bool dp_declared_bounds(Oid relation, AttrNumber column, Oid type,
							   Datum *lower, Datum *upper);

/*
 * The values that the owner declared for a column, as texts, valid as long as
 * the picture; false without.
 */
extern bool dp_declared_values(Oid relation, AttrNumber column, List **texts);

/* True where the owner declared bounds or values for a column. */
extern bool dp_declared_exists(Oid relation, AttrNumber column);

/*
 * The privacy levels that the owner declared, from the highest: Float nodes;
 * NIL without. The list is the caller's.
 */
extern List *dp_declared_levels(Oid relation);

#endif
