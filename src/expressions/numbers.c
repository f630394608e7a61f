/*
 * numbers.c
 *		Arithmetic of numbers with NULL for errors, without calls of the
 *		server's functions.
 *
 * These do what the server's functions do, and return NULL where those raise an
 * error. They are called for every row, and need not catch anything.
 */
#include "postgres.h"

#include <math.h>

#include "common/int.h"
#include "fmgr.h"
#include "utils/numeric.h"

#include "expressions/guards.h"
#include "server/compat_numeric.h"

/* add, sub or mul, as common/int.h has them. */
#define INTEGER_OPERATOR(name, verb, type_a, type_b, type, bits, width) \
	PG_FUNCTION_INFO_V1(dp_try_##name); \
	Datum dp_try_##name(PG_FUNCTION_ARGS) \
	{ \
		type result; \
		if (pg_##verb##_s##bits##_overflow(PG_GETARG_##type_a(0), \
										   PG_GETARG_##type_b(1), &result)) \
			PG_RETURN_NULL(); \
		PG_RETURN_##width(result); \
	}

/* Overflow and division by zero; the least integer by -1 overflows. */
#define INTEGER_OPERATORS(prefix, type_a, type_b, type, bits, width, least) \
	INTEGER_OPERATOR(prefix##pl, add, type_a, type_b, type, bits, width) \
	INTEGER_OPERATOR(prefix##mi, sub, type_a, type_b, type, bits, width) \
	INTEGER_OPERATOR(prefix##mul, mul, type_a, type_b, type, bits, width) \
	PG_FUNCTION_INFO_V1(dp_try_##prefix##div); \
	Datum dp_try_##prefix##div(PG_FUNCTION_ARGS) \
	{ \
		type a = PG_GETARG_##type_a(0); \
		type b = PG_GETARG_##type_b(1); \
		if (b == 0 || (b == -1 && a == (least))) \
			PG_RETURN_NULL(); \
		PG_RETURN_##width((type) (a / b)); \
	}

/* The remainder of the least integer by -1 is 0; the processor would trap. */
#define INTEGER_REST(name, type, width) \
	PG_FUNCTION_INFO_V1(dp_try_##name); \
	Datum dp_try_##name(PG_FUNCTION_ARGS) \
	{ \
		type a = PG_GETARG_##width(0); \
		type b = PG_GETARG_##width(1); \
		if (b == 0) \
			PG_RETURN_NULL(); \
		PG_RETURN_##width(b == -1 ? 0 : (a % b)); \
	}

#define INTEGER_SIGNS(prefix, absolute, type, width, least) \
	PG_FUNCTION_INFO_V1(dp_try_##prefix##um); \
	Datum dp_try_##prefix##um(PG_FUNCTION_ARGS) \
	{ \
		type a = PG_GETARG_##width(0); \
		if (a == (least)) \
			PG_RETURN_NULL(); \
		PG_RETURN_##width((type) -a); \
	} \
	PG_FUNCTION_INFO_V1(dp_try_##absolute); \
	Datum dp_try_##absolute(PG_FUNCTION_ARGS) \
	{ \
		type a = PG_GETARG_##width(0); \
		if (a == (least)) \
			PG_RETURN_NULL(); \
		PG_RETURN_##width((type) (a < 0 ? -a : a)); \
	}

/* Casts to a narrower type. */
#define INTEGER_CAST(name, from, to, type, least, most) \
	PG_FUNCTION_INFO_V1(dp_try_##name); \
	Datum dp_try_##name(PG_FUNCTION_ARGS) \
	{ \
		int64 value = PG_GETARG_##from(0); \
		if (value < (least) || value > (most)) \
			PG_RETURN_NULL(); \
		PG_RETURN_##to((type) value); \
	}

/*
 * Rounded to the nearest integer, ties to even. The bounds are powers of two,
 * which are exact in floating point; NaN is within no bounds.
 */
#define FLOAT_CAST(name, from, to, type, bound) \
	PG_FUNCTION_INFO_V1(dp_try_##name); \
	Datum dp_try_##name(PG_FUNCTION_ARGS) \
	{ \
		double value = rint((double) PG_GETARG_##from(0)); \
		if (!(value >= -(bound) && value < (bound))) \
			PG_RETURN_NULL(); \
		PG_RETURN_##to((type) value); \
	}

/* failed: a condition on a, b and result. */
#define FLOAT_OPERATOR(name, type_a, type_b, type, width, sign, failed) \
	PG_FUNCTION_INFO_V1(dp_try_##name); \
	Datum dp_try_##name(PG_FUNCTION_ARGS) \
	{ \
		type a = (type) PG_GETARG_##type_a(0); \
		type b = (type) PG_GETARG_##type_b(1); \
		type result = a sign b; \
		if (failed) \
			PG_RETURN_NULL(); \
		PG_RETURN_##width(result); \
	}

/*
 * A result is infinite or zero only where an operand was; those of a division
 * by an infinity are zero.
 */
#define FLOAT_OPERATORS(prefix, type_a, type_b, type, width) \
	FLOAT_OPERATOR(prefix##pl, type_a, type_b, type, width, +, \
				   isinf(result) && !isinf(a) && !isinf(b)) \
	FLOAT_OPERATOR(prefix##mi, type_a, type_b, type, width, -, \
				   isinf(result) && !isinf(a) && !isinf(b)) \
	FLOAT_OPERATOR(prefix##mul, type_a, type_b, type, width, *, \
				   (isinf(result) && !isinf(a) && !isinf(b)) || \
					   (result == 0 && a != 0 && b != 0)) \
	PG_FUNCTION_INFO_V1(dp_try_##prefix##div); \
	Datum dp_try_##prefix##div(PG_FUNCTION_ARGS) \
	{ \
		type a = (type) PG_GETARG_##type_a(0); \
		type b = (type) PG_GETARG_##type_b(1); \
		type result; \
		if (b == 0 && !isnan(a)) \
			PG_RETURN_NULL(); \
		result = a / b; \
		if ((isinf(result) && !isinf(a)) || \
			(result == 0 && a != 0 && !isinf(b))) \
			PG_RETURN_NULL(); \
		PG_RETURN_##width(result); \
	}

/* clang-format off */
INTEGER_OPERATORS(int2, INT16, INT16, int16, 16, INT16, PG_INT16_MIN)
INTEGER_OPERATORS(int4, INT32, INT32, int32, 32, INT32, PG_INT32_MIN)
INTEGER_OPERATORS(int8, INT64, INT64, int64, 64, INT64, PG_INT64_MIN)
INTEGER_OPERATORS(int24, INT16, INT32, int32, 32, INT32, PG_INT32_MIN)
INTEGER_OPERATORS(int42, INT32, INT16, int32, 32, INT32, PG_INT32_MIN)
INTEGER_OPERATORS(int28, INT16, INT64, int64, 64, INT64, PG_INT64_MIN)
INTEGER_OPERATORS(int82, INT64, INT16, int64, 64, INT64, PG_INT64_MIN)
INTEGER_OPERATORS(int48, INT32, INT64, int64, 64, INT64, PG_INT64_MIN)
INTEGER_OPERATORS(int84, INT64, INT32, int64, 64, INT64, PG_INT64_MIN)
INTEGER_REST(int2mod, int16, INT16)
INTEGER_REST(int4mod, int32, INT32)
INTEGER_REST(int8mod, int64, INT64)
INTEGER_SIGNS(int2, int2abs, int16, INT16, PG_INT16_MIN)
INTEGER_SIGNS(int4, int4abs, int32, INT32, PG_INT32_MIN)
INTEGER_SIGNS(int8, int8abs, int64, INT64, PG_INT64_MIN)
INTEGER_CAST(int2_int4, INT32, INT16, int16, PG_INT16_MIN, PG_INT16_MAX)
INTEGER_CAST(int2_int8, INT64, INT16, int16, PG_INT16_MIN, PG_INT16_MAX)
INTEGER_CAST(int4_int8, INT64, INT32, int32, PG_INT32_MIN, PG_INT32_MAX)
FLOAT_CAST(int2_float4, FLOAT4, INT16, int16, 32768.0)
FLOAT_CAST(int2_float8, FLOAT8, INT16, int16, 32768.0)
FLOAT_CAST(int4_float4, FLOAT4, INT32, int32, 2147483648.0)
FLOAT_CAST(int4_float8, FLOAT8, INT32, int32, 2147483648.0)
FLOAT_CAST(int8_float4, FLOAT4, INT64, int64, 9223372036854775808.0)
FLOAT_CAST(int8_float8, FLOAT8, INT64, int64, 9223372036854775808.0)
FLOAT_OPERATORS(float4, FLOAT4, FLOAT4, float4, FLOAT4)
FLOAT_OPERATORS(float8, FLOAT8, FLOAT8, float8, FLOAT8)
FLOAT_OPERATORS(float48, FLOAT4, FLOAT8, float8, FLOAT8)
FLOAT_OPERATORS(float84, FLOAT8, FLOAT4, float8, FLOAT8)
/* clang-format on */

PG_FUNCTION_INFO_V1(dp_try_float4_float8);

Datum
dp_try_float4_float8(PG_FUNCTION_ARGS)
{
	double value = PG_GETARG_FLOAT8(0);
	float4 result = (float4) value;

	if ((isinf(result) && !isinf(value)) || (result == 0 && value != 0))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT4(result);
}

/* The server's own functions that report an error instead of raising it. */
#define NUMERIC_OPERATOR(name) \
	PG_FUNCTION_INFO_V1(dp_try_numeric_##name); \
	Datum dp_try_numeric_##name(PG_FUNCTION_ARGS) \
	{ \
		bool failed = false; \
		Numeric result; \
		if (!dp_guard_fits(PG_GETARG_DATUM(0), DP_GUARD_NUMERIC) || \
			!dp_guard_fits(PG_GETARG_DATUM(1), DP_GUARD_NUMERIC)) \
			PG_RETURN_NULL(); \
		result = dp_compat_numeric_##name(PG_GETARG_NUMERIC(0), \
										  PG_GETARG_NUMERIC(1), &failed); \
		if (failed) \
			PG_RETURN_NULL(); \
		PG_RETURN_NUMERIC(result); \
	}

/* clang-format off */
NUMERIC_OPERATOR(add)
NUMERIC_OPERATOR(sub)
NUMERIC_OPERATOR(mul)
NUMERIC_OPERATOR(div)
/* clang-format on */

PG_FUNCTION_INFO_V1(dp_try_int4_numeric);

Datum
dp_try_int4_numeric(PG_FUNCTION_ARGS)
{
	bool failed = false;
	int32 result;

	if (!dp_guard_fits(PG_GETARG_DATUM(0), DP_GUARD_NUMERIC))
		PG_RETURN_NULL();
	result = dp_compat_numeric_int4(PG_GETARG_NUMERIC(0), &failed);
	if (failed)
		PG_RETURN_NULL();
	PG_RETURN_INT32(result);
}
