/*
 * ordered_type.h
 *		Dates, times and intervals as integers.
 *
 * Each value of such a type is a whole number of days or of microseconds, in
 * the type's own order, so that aggregates treat it as a bigint. What is
 * infinite is beyond the least or the greatest, and clamped like anything else
 * that is. Whoever adds a type adds a row to the table in ordered_type.c, and
 * its name to those in sql/install/aggregates.sql and dp_noise.bounded_kind().
 *
 * Intervals are in the order in which the server compares them: a month is 30
 * days and a day is 24 hours. So '1 month' and '30 days' are one value, and
 * answers are written in days and hours.
 */
#ifndef DP_SERVER_ORDERED_TYPE_H
#define DP_SERVER_ORDERED_TYPE_H

#include "postgres.h"

#include "fmgr.h"

typedef struct DpOrderedType
{
	Oid type;
	const char *name;		   /* as format_type() writes it */
	bool in_days;			   /* else in microseconds */
	int bits;				   /* the greatest is at most 2^bits */
	int64 least;			   /* of the finite values */
	int64 greatest;			   /* likewise */
	int64 (*number_of)(Datum); /* saturated where it is infinite */
	Datum (*value_of)(int64);  /* of least .. greatest */
} DpOrderedType;

/* The row of a base type; NULL: it is none of these. */
extern const DpOrderedType *dp_ordered_type(Oid type);

/* A number as a value, brought into the range of the finite ones. */
extern Datum dp_ordered_value(const DpOrderedType *ordered, int64 number);

#endif
