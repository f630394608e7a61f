/*
 * numeric_value.c
 *		Conversions between numeric and the grid.
 *
 * The layout of a stored numeric, read here, is fixed by pg_upgrade: a 16-bit
 * header (sign, scale and, in the short form, the weight), in the long form a
 * 16-bit weight, then digits of base 10000, the first of which is worth
 * 10000^weight.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "utils/builtins.h"

#include "aggregates/numeric_value.h"
#include "core/grid.h"
#include "server/compat.h"

#define HEADER_FORM_MASK 0xC000
#define HEADER_NEGATIVE 0x4000 /* long form */
#define HEADER_SHORT 0x8000
#define HEADER_SPECIAL 0xC000
#define SHORT_NEGATIVE 0x2000
#define SHORT_WEIGHT_SIGN 0x0040
#define SHORT_WEIGHT_MASK 0x003F

#define DIGIT_BASE 10000
#define DIGIT_DECIMALS 4

/* This many digits of base 10000 always fit into a 64-bit integer. */
#define FAST_DIGITS 4

/* Integers up to here, and powers of ten up to 10^22, are exact doubles. */
#define EXACT_INTEGER (INT64CONST(1) << 53)
#define EXACT_POWER 22

static const double powers_of_ten[EXACT_POWER + 1] = {
	1e0,  1e1,	1e2,  1e3,	1e4,  1e5,	1e6,  1e7,	1e8,  1e9,	1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/*
 * Reads a short value exactly; false when it is long or special. An integer
 * times or over a power of ten, both exact, rounds once and so correctly.
 */
static bool
read_digits(const char *data, Size size, double *value)
{
	uint16 header;
	int weight;
	bool negative;
	int16 digits[FAST_DIGITS];
	Size prefix = sizeof(uint16);
	int count;
	int64 integer = 0;
	int power;
	int i;

	memcpy(&header, data, sizeof(header));
	if ((header & HEADER_FORM_MASK) == HEADER_SPECIAL)
		return false;
	if ((header & HEADER_FORM_MASK) == HEADER_SHORT)
	{
		negative = (header & SHORT_NEGATIVE) != 0;
		weight = header & SHORT_WEIGHT_MASK;
		if (header & SHORT_WEIGHT_SIGN)
			weight -= SHORT_WEIGHT_MASK + 1;
	}
	else
	{
		int16 long_weight;

		memcpy(&long_weight, data + prefix, sizeof(long_weight));
		prefix += sizeof(long_weight);
		negative = (header & HEADER_FORM_MASK) == HEADER_NEGATIVE;
		weight = long_weight;
	}

	count = (int) ((size - prefix) / sizeof(int16));
	if (count > FAST_DIGITS)
		return false;
	memcpy(digits, data + prefix, count * sizeof(int16));
	for (i = 0; i < count; i++)
		integer = integer * DIGIT_BASE + digits[i];
	power = count == 0 ? 0 : DIGIT_DECIMALS * (weight - (count - 1));
	if (integer > EXACT_INTEGER || power > EXACT_POWER || power < -EXACT_POWER)
		return false;

	*value = power < 0 ? integer / powers_of_ten[-power]
					   : integer * powers_of_ten[power];
	if (negative)
		*value = -*value;
	return true;
}

double
dp_numeric_to_double(Datum numeric)
{
	struct varlena *packed = PG_DETOAST_DATUM_PACKED(numeric);
	double value;

	if (!read_digits(VARDATA_ANY(packed), VARSIZE_ANY_EXHDR(packed), &value))
		value = DatumGetFloat8(
			DirectFunctionCall1(numeric_float8_no_overflow, numeric));
	return value;
}

static Numeric
add(Numeric a, Numeric b)
{
	return DatumGetNumeric(DirectFunctionCall2(numeric_add, NumericGetDatum(a),
											   NumericGetDatum(b)));
}

static Numeric
multiply(Numeric a, Numeric b)
{
	return DatumGetNumeric(DirectFunctionCall2(numeric_mul, NumericGetDatum(a),
											   NumericGetDatum(b)));
}

static Numeric
divide(Numeric a, Numeric b)
{
	return DatumGetNumeric(DirectFunctionCall2(numeric_div, NumericGetDatum(a),
											   NumericGetDatum(b)));
}

static Numeric
round_to(Numeric value, int decimals)
{
	return DatumGetNumeric(DirectFunctionCall2(
		numeric_round, NumericGetDatum(value), Int32GetDatum(decimals)));
}

/* 2^exponent, exponent >= 0 */
static Numeric
power_of_two(int exponent)
{
	Numeric result = int64_to_numeric(INT64CONST(1) << (exponent % 62));

	for (; exponent >= 62; exponent -= 62)
		result = multiply(result, int64_to_numeric(INT64CONST(1) << 62));
	return result;
}

Numeric
dp_numeric_from_int128(dp_int128 value)
{
	int64 high = (int64) (value >> 64);
	uint64 low = (uint64) value;
	Numeric half = int64_to_numeric(INT64CONST(1) << 32);
	Numeric result;

	if (value >= PG_INT64_MIN && value <= PG_INT64_MAX)
		return int64_to_numeric((int64) value);
	result = multiply(int64_to_numeric(high), half);
	result = add(result, int64_to_numeric((int64) (low >> 32)));
	result = multiply(result, half);
	return add(result, int64_to_numeric((int64) (low & PG_UINT32_MAX)));
}

dp_int128
dp_numeric_to_int128(Datum numeric)
{
	const char *text =
		DatumGetCString(DirectFunctionCall1(numeric_out, numeric));
	bool is_negative = *text == '-';
	dp_int128 value = 0;

	for (text += is_negative; *text >= '0' && *text <= '9'; text++)
	{
		if (value < DP_INT128_MIN / 10)
			value = DP_INT128_MIN / 10;
		value = value * 10;
		value = dp_int128_add_saturating(value, -(*text - '0'));
	}
	if (is_negative)
		return value;
	return value == DP_INT128_MIN ? DP_INT128_MAX : -value;
}

Numeric
dp_numeric_scale(Numeric value, int exponent)
{
	int decimals;

	if (exponent >= 0)
		return exponent == 0 ? value : multiply(value, power_of_two(exponent));

	/* The quotient gets at least the decimals of the dividend. */
	decimals = (int) ceil(-exponent * 0.30102999566398120) + 1;
	return round_to(divide(round_to(value, decimals), power_of_two(-exponent)),
					decimals);
}

Numeric
dp_numeric_round_to_step(Numeric value, int exponent)
{
	if (exponent >= 0)
		return value;
	value = round_to(value, dp_grid_decimals(exponent));
	return DatumGetNumeric(
		DirectFunctionCall1(numeric_trim_scale, NumericGetDatum(value)));
}

Numeric
dp_numeric_of_steps(Numeric value, int exponent)
{
	return dp_numeric_round_to_step(dp_numeric_scale(value, exponent),
									exponent);
}

static int
compare(Numeric a, Numeric b)
{
	return DatumGetInt32(DirectFunctionCall2(numeric_cmp, NumericGetDatum(a),
											 NumericGetDatum(b)));
}

/* a / b, b above 0: a whole number, rounded down or up */
static Numeric
divide_whole(Numeric a, Numeric b, bool up)
{
	Numeric result = DatumGetNumeric(DirectFunctionCall2(
		numeric_div_trunc, NumericGetDatum(a), NumericGetDatum(b)));
	int rest = compare(multiply(result, b), a);

	if (up ? rest < 0 : rest > 0)
		result = add(result, int64_to_numeric(up ? 1 : -1));
	return result;
}

static Numeric
power_of_ten(int exponent)
{
	return DatumGetNumeric(DirectFunctionCall3(
		numeric_in, CStringGetDatum(psprintf("1e%d", exponent)),
		ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
}

Numeric
dp_numeric_outwards(dp_int128 steps, int exponent, bool up)
{
	Numeric value = dp_numeric_from_int128(steps);
	int decimals;

	if (exponent >= 0)
		return multiply(value, power_of_two(exponent));
	decimals = dp_grid_decimals(exponent);
	value = divide_whole(multiply(value, power_of_ten(decimals)),
						 power_of_two(-exponent), up);
	value = multiply(value, power_of_ten(-decimals));
	return DatumGetNumeric(
		DirectFunctionCall1(numeric_trim_scale, NumericGetDatum(value)));
}

Numeric
dp_numeric_between(int64 lower, uint64 span, dp_int128 numerator,
				   dp_int128 denominator)
{
	Numeric part = multiply(dp_numeric_from_int128(span),
							dp_numeric_from_int128(numerator));

	return add(int64_to_numeric(lower),
			   divide(part, dp_numeric_from_int128(denominator)));
}
