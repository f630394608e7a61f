/*
 * protection.h
 *		What the gate must know of relations and aggregates.
 */
#ifndef DP_GATE_PROTECTION_H
#define DP_GATE_PROTECTION_H

#include "access/attnum.h"

/* True while the gate itself runs SQL, which it then lets pass. */
extern bool dp_gate_is_asking(void);

/* True when the function is a dp_ aggregate of the extension. */
extern bool dp_gate_is_private_aggregate(Oid function);

/* True when the relation is protected, as the current transaction sees it. */
extern bool dp_gate_is_protected(Oid relation);

/*
 * The bounds that the owner declared for a column, as numeric; false without.
 * Results live in the current memory context.
 */
extern bool dp_gate_bounds(Oid relation, AttrNumber column, Datum *lower,
						   Datum *upper);

#endif
