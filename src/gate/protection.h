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
 * True when one row is one privacy unit: the unit is the row, or a column that
 * is unique and not null. Other units need contributions to be bounded.
 */
extern bool dp_gate_unit_is_row(Oid relation);

/* True when neighbours differ by one row more or less. */
extern bool dp_gate_is_add_remove(Oid relation);

/*
 * The bounds that the owner declared for a column, as numeric; false without.
 * Results live in the current memory context.
 */
extern bool dp_gate_bounds(Oid relation, AttrNumber column, Datum *lower,
						   Datum *upper);

#endif
