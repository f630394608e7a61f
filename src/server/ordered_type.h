/*
 * ordered_type.h
 *		Dates, times and intervals as integers.
 *
 * Each value of such a type is a whole number of days or of microseconds, in
 * the type's own order, so that aggregates treat it as a bigint. Infinite
 * values lie beyond all finite ones, and are clamped like anything else out of
 * bounds. Whoever adds a type adds a row to the table in ordered_type.c, and
 * its name to those in sql/install/aggregates.sql and in
 * dp_noise.bounded_kind().
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
	int64 least;			   /* the least finite value */
	int64 greatest;			   /* the greatest */
	int64 (*number_of)(Datum); /* saturated where it is infinite */
	Datum (*value_of)(int64);  /* of least .. greatest */
} DpOrderedType;

/* The row of a base type; NULL: it is none of these. */
extern const DpOrderedType *dp_ordered_type(Oid type);

/* The value of a number, which is first clamped to the finite values. */
extern Datum dp_ordered_value(const DpOrderedType *ordered, int64 number);

#endif
