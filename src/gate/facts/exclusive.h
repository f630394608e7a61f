/*
 * exclusive.h
 *		Which aggregates of a question no row, and no unit, counts in both of.
 *
 * `count(*) FILTER (WHERE sex = 'f')` and `count(*) FILTER (WHERE sex = 'm')` are
 * about other rows, so together they are as private as one of them
 * (accounting/disjoint.h). The charge falls by that, so whatever is not proved
 * here is not so.
 *
 * A row counts in an aggregate only if its condition is true there: what FILTER
 * says, and what CASE says of its first argument, where that is null otherwise,
 * since no aggregate counts nulls. In a sum it may be 0 otherwise, where 0 is
 * within the bounds: then it is the point 0 of the grid, and adds nothing. Two
 * conditions exclude each other if both cannot be true in a row:
 *
 *   x = 'a' and x = 'b'; lists that have no value in common; x < 5 and x >= 5,
 *     by the order of x's type, for constants that this order tells apart
 *   a and NOT a, a IS NOT TRUE; x IS NULL and x = 'a', x IS NOT NULL
 *   x < y and x >= y
 *   one of what is ANDed with the other; all of what is ORed
 *
 * The argument: both are computed of the same row, in one pass, from the same
 * expression x. It must be made of columns, constants and parameters by functions
 * of the server's that are immutable and never fail, so that it has one value
 * there, however often it is computed. Operators are the server's own, of one
 * family of btree operators of x's type, whose order is total and whose equality
 * is transitive: NaN equals itself and is the greatest, 1.0 equals 1, blanks at
 * the end of a character(n) do not count. The constants are compared by that
 * very order, of their own type; texts by bytes, which is how a statement
 * beneath a release compares them, whatever their collation
 * (gate/tree/kinds.h). Operators of two types are taken among integers and
 * among floating-point numbers alone: dates and times of different types
 * compare by the time zone. Constants that may be equal, parameters among them,
 * exclude nothing.
 *
 * A row is a unit where units have one row each, which is enforced
 * (dp_keys_units_are_rows). A unit of several rows may have one in each aggregate;
 * so there the parts of conditions count alone that are true in all of its rows or
 * in none: those that are computed from columns with one and the same value in all of
 * them (gate/facts/known.h), such as the sex of the patients whose visits are
 * counted. That a patient has one row trusts the unique index of a protected
 * relation, as all names by keys do (gate/facts/owner.h); public keys are not
 * trusted, nor are those of several owners who meet. Where people of several
 * populations meet nothing is exclusive: what is one value for a patient is not
 * for a doctor.
 */
#ifndef DP_GATE_FACTS_EXCLUSIVE_H
#define DP_GATE_FACTS_EXCLUSIVE_H

#include "gate/tree/node.h"

/* Aggregates of one question that are compared; further ones are priced alone. */
#define DP_EXCLUSIVE_MAX 256

/* Pairs of parts of their conditions that are compared, of all of them together. */
#define DP_EXCLUSIVE_PAIRS_MAX 300000

typedef struct DpExclusive
{
	/* Beside the aggregates: IntList, the lesser numbers of those it excludes. */
	List *others;
	List *
		by_zero; /* beside: 1 if that holds only where 0 adds nothing, else 0 */
} DpExclusive;

/* Of a question that is complete. Empty lists where nothing is exclusive. */
extern DpExclusive dp_exclusive_of(const DpQuestion *question);

#endif
