/*
 * arithmetic.h
 *		What functions do to the size and the order of their arguments.
 *
 * One table for all that follows from it: bounds of expressions, whether a
 * monotone function rounds, and at which times a column must be looked at so that
 * no result is missed. A new function is one row.
 */
#ifndef DP_GATE_FACTS_ARITHMETIC_H
#define DP_GATE_FACTS_ARITHMETIC_H

#include "gate/tree/expr.h"

typedef enum DpArithmetic
{
	DP_ARITHMETIC_UNKNOWN,

	/* numbers */
	DP_ARITHMETIC_SAME, /* the number itself */
	DP_ARITHMETIC_NEGATE,
	DP_ARITHMETIC_ABSOLUTE,
	DP_ARITHMETIC_ADD,
	DP_ARITHMETIC_SUBTRACT,
	DP_ARITHMETIC_MULTIPLY,
	DP_ARITHMETIC_DIVIDE, /* of integers, without the remainder */
	DP_ARITHMETIC_REMAINDER,
	DP_ARITHMETIC_WHOLE_QUOTIENT,
	DP_ARITHMETIC_ROUND,  /* to this many digits after the point as the second
							  * argument says; none without */
	DP_ARITHMETIC_CAST,	  /* to another type of numbers, or to fewer digits */
	DP_ARITHMETIC_BUCKET, /* a number of one of equal intervals */
	DP_ARITHMETIC_LENGTH, /* from 0 to what a long value has at most */
	DP_ARITHMETIC_FROM_BOOL, /* 0 or 1 */

	/* dates and times; the argument says which field, format or interval */
	DP_ARITHMETIC_TRUNCATE,
	DP_ARITHMETIC_EXTRACT,
	DP_ARITHMETIC_FORMAT,
	DP_ARITHMETIC_BIN,
	DP_ARITHMETIC_DAY,
	DP_ARITHMETIC_AGE,		/* in years, months and days */
	DP_ARITHMETIC_SAME_TIME /* of another type, or in another zone */
} DpArithmetic;

/*
 * What a call of one of the server's own functions does, by its name and the
 * number of its arguments.
 */
extern DpArithmetic dp_arithmetic_of(const DpExpr *expr);

/*
 * Whether it is a conversion that changes no value: two results are equal exactly
 * where the arguments are. Those that round are not among them, as bigint to double
 * precision: other values are equal after it. The same bytes under another type
 * are the same value, but for texts that become padded ones: spaces at their end
 * no longer count.
 */
extern bool dp_arithmetic_keeps_value(const DpExpr *conversion);

/* Whether values of one type are values of the other, bit by bit. */
extern bool dp_arithmetic_is_same_type(Oid one, Oid other);

/* Whether a length is one in bytes. */
extern bool dp_arithmetic_is_of_bytes(const DpExpr *length);

/* The argument of a call whose others are constants; -1: there is none. */
extern int dp_arithmetic_variable(const DpExpr *call);

extern bool dp_arithmetic_is_number(Oid type);
extern bool dp_arithmetic_is_integer(Oid type);

/*
 * A value of a type of numbers, dates or times that is not null as numeric, as
 * bounds are (gate/facts/range.h); false for other types.
 */
extern bool dp_arithmetic_number(Oid type, Datum value, Datum *number);

/* Of numeric: a whole number, the order of two, and the integer nearest to one. */
extern Datum dp_arithmetic_whole(int64 number);
extern bool dp_arithmetic_is_less(Datum one, Datum other);
extern int64 dp_arithmetic_nearest(Datum number);

/* A whole number as a value of such a type, in which there is room for it. */
extern Datum dp_arithmetic_value(Oid type, int64 number);

/* A value that is not null, as a server node. */
extern Const *dp_arithmetic_constant(Oid type, int32 typmod, Datum value);

/*
 * An order of constants of one type: by their bytes, NULL last. Equal values with
 * different bytes are different.
 */
extern int dp_arithmetic_compare(const Const *one, const Const *other);

/*
 * A server node that computes an expression as it is computed for a row, with
 * this in the place of each of its columns.
 */
extern Node *dp_arithmetic_image(const DpExpr *expr, const Node *value);

/* The same for each of a list of const DpExpr. */
extern List *dp_arithmetic_images(const List *exprs, const Node *value);

#endif
