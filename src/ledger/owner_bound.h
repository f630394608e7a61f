/*
 * owner_bound.h
 *		Bounds as owners write them: numbers, texts, dates and times.
 *
 * The ledger keeps them as numeric: numbers as they are, dates and times as
 * server/ordered_type.h has them. A bound is converted through its text, with the
 * caller's rights and settings, by the server's own functions alone.
 */
#ifndef DP_LEDGER_OWNER_BOUND_H
#define DP_LEDGER_OWNER_BOUND_H

/* True for the types that bounds are written in: the server's own alone. */
extern bool dp_owner_bound_has_type(Oid type);

/*
 * A bound of a column, of such a type, as numeric. Error: invalid_parameter_value for
 * one beyond the column's type.
 */
extern Datum dp_owner_bound_number(Oid column_type, Oid type, Datum bound);

#endif
