/*
 * law_end.c
 *		Ends of intervals as values of SQL.
 *
 * An answer has been rounded from a point of its grid to the decimals that the
 * grid tells apart, or to its type; ends are moved outwards by what that may
 * have changed, and rounded outwards themselves.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/fmgrprotos.h"

#include "aggregates/law.h"
#include "aggregates/numeric_value.h"
#include "aggregates/regression_end.h"
#include "mechanisms/sums_ends.h"

/* Means are divided into this many parts of a step, of 2^-FRACTION_BITS. */
#define FRACTION_BITS 20

static dp_int128
at_most_128(dp_uint128 x)
{
	return x > (dp_uint128) DP_INT128_MAX ? DP_INT128_MAX : (dp_int128) x;
}

/* x 2^exponent, exponent >= 0, saturated far beyond 64 bits */
static dp_int128
shifted(dp_int128 x, int exponent)
{
	const dp_int128 limit = (dp_int128) 1 << 64;

	return dp_int128_clamp(x, -limit, limit) *
		   ((dp_int128) 1 << Min(exponent, 60));
}

/* number -+ distance */
static dp_int128
moved(const DpEnd *end, dp_int128 number, dp_int128 distance)
{
	return dp_int128_add_saturating(number,
									end->is_high ? distance : -distance);
}

/* The end within what an answer may be, in units. */
static dp_int128
within_range(const DpEnd *end, dp_int128 number)
{
	const DpLaw *law = end->law;

	if (law->has_least)
		number = Max(number, shifted(law->least, law->exponent));
	if (law->has_greatest)
		number = Min(number, shifted(law->greatest, law->exponent));
	return number;
}

/* Of integers, each exactly a number of steps. */
static int64
integer_end(const DpEnd *end, int64 answer)
{
	const DpLaw *law = end->law;

	if (law->has_threshold)
		return dp_law_shown_end(law, end->level, answer, end->is_high);
	return (int64) dp_int128_clamp(
		within_range(end,
					 moved(end, answer,
						   shifted(at_most_128(end->width), law->exponent))),
		PG_INT64_MIN, PG_INT64_MAX);
}

/* The most that rounding to decimals may have changed an answer by. */
static double
unit_of(int exponent)
{
	return exponent < 0 ? pow(10, -dp_grid_decimals(exponent)) : 0;
}

/* A double beyond all that it may have been rounded from. */
static double
beyond(const DpEnd *end, double x)
{
	double to = end->is_high ? INFINITY : -INFINITY;

	return nextafter(nextafter(x, to), to);
}

/* A point of the grid, or a part of one, as a double. */
static double
double_of_steps(const DpEnd *end, dp_int128 steps, int exponent)
{
	double exact = (double) steps;
	double rounded = dp_numeric_to_double(
		NumericGetDatum(dp_numeric_outwards(steps, exponent, end->is_high)));

	/* The nearest double may be on the wrong side. */
	if (end->is_high ? (dp_int128) exact < steps : (dp_int128) exact > steps)
		exact = nextafter(exact, end->is_high ? INFINITY : -INFINITY);
	exact = ldexp(exact, exponent);
	return end->is_high ? fmax(exact, rounded) : fmin(exact, rounded);
}

static double
double_end(const DpEnd *end, double answer)
{
	const DpLaw *law = end->law;
	double distance =
		ldexp((double) end->width, law->exponent) + unit_of(law->exponent);
	double result = beyond(end, answer + (end->is_high ? 1 : -1) * distance *
											 (1 + 0x1p-50));

	if (law->has_least)
		result = fmax(result, double_of_steps(end, law->least, law->exponent));
	if (law->has_greatest)
		result =
			fmin(result, double_of_steps(end, law->greatest, law->exponent));
	return result;
}

/* Of type real, which the answer was rounded to as well. */
static float
real_end(const DpEnd *end, float answer)
{
	float to = end->is_high ? INFINITY : -INFINITY;
	double exact = double_end(end, nextafterf(answer, to));
	float result = (float) exact;

	if (end->is_high ? result < exact : result > exact)
		result = nextafterf(result, to);
	return result;
}

static Datum
numeric_end(const DpEnd *end, Datum answer)
{
	const DpLaw *law = end->law;
	Numeric distance =
		dp_numeric_outwards(at_most_128(end->width), law->exponent, true);
	Datum result = DirectFunctionCall2(end->is_high ? numeric_add : numeric_sub,
									   answer, NumericGetDatum(distance));

	if (law->exponent < 0)
	{
		/* One more of the last decimal. */
		Numeric unit = dp_numeric_outwards(1, law->exponent, true);

		result = DirectFunctionCall2(end->is_high ? numeric_add : numeric_sub,
									 result, NumericGetDatum(unit));
	}
	if (law->has_least)
		result =
			DirectFunctionCall2(numeric_larger, result,
								NumericGetDatum(dp_numeric_outwards(
									law->least, law->exponent, end->is_high)));
	if (law->has_greatest)
		result = DirectFunctionCall2(
			numeric_smaller, result,
			NumericGetDatum(dp_numeric_outwards(law->greatest, law->exponent,
												end->is_high)));
	return result;
}

/* Of dates, times and intervals, rounded to a power of ten of them. */
static Datum
ordered_end(const DpEnd *end, const DpOrderedType *ordered, Datum answer)
{
	const DpLaw *law = end->law;
	dp_int128 distance = shifted(at_most_128(end->width), law->exponent);
	dp_int128 number;

	if (law->exponent > 0)
		distance += 10 * shifted(1, law->exponent);
	number =
		within_range(end, moved(end, ordered->number_of(answer), distance));
	return dp_ordered_value(
		ordered, (int64) dp_int128_clamp(number, PG_INT64_MIN, PG_INT64_MAX));
}

/* The answer and noise. */
static Datum
noise_end(const DpEnd *end, Datum answer)
{
	const DpOrderedType *ordered = dp_ordered_type(end->type);
	int64 number;

	if (ordered != NULL)
		return ordered_end(end, ordered, answer);
	switch (end->type)
	{
		case INT2OID:
			number = integer_end(end, DatumGetInt16(answer));
			return Int16GetDatum(
				(int16) Min(Max(number, PG_INT16_MIN), PG_INT16_MAX));
		case INT4OID:
			number = integer_end(end, DatumGetInt32(answer));
			return Int32GetDatum(
				(int32) Min(Max(number, PG_INT32_MIN), PG_INT32_MAX));
		case INT8OID:
			return Int64GetDatum(integer_end(end, DatumGetInt64(answer)));
		case FLOAT4OID:
			return Float4GetDatum(real_end(end, DatumGetFloat4(answer)));
		case FLOAT8OID:
			return Float8GetDatum(double_end(end, DatumGetFloat8(answer)));
		default:
			return numeric_end(end, answer);
	}
}

/* The truth may be anywhere that a walk has not reached. */
static Datum
walk_end(const DpEnd *end, Datum answer)
{
	const DpLaw *law = end->law;
	DpEnd walked = *end;

	if (end->is_high == (law->kind == DP_LAW_WALK_UP))
		walked.width = (uint64) law->greatest - (uint64) law->least;
	return noise_end(&walked, answer);
}

/* A part of the range, in steps of the type. */
static Datum
steps_value(const DpEnd *end, dp_int128 steps, int exponent)
{
	const DpOrderedType *ordered = dp_ordered_type(end->type);
	Numeric value;

	if (end->type == FLOAT8OID)
		return Float8GetDatum(double_of_steps(end, steps, exponent));
	value = dp_numeric_outwards(steps, exponent, end->is_high);
	if (ordered == NULL)
		return NumericGetDatum(value);
	return dp_ordered_value(
		ordered,
		DatumGetInt64(DirectFunctionCall1(
			numeric_int8,
			DirectFunctionCall1(end->is_high ? numeric_ceil : numeric_floor,
								NumericGetDatum(value)))));
}

/* A part, 0 .. 1, of the range: the ends of that exactly. */
static Datum
part_value(const DpEnd *end, double part)
{
	const DpLaw *law = end->law;
	dp_int128 span = (dp_int128) law->greatest - law->least;
	double parts;

	if (part <= 0 || part >= 1)
		return steps_value(end, part <= 0 ? law->least : law->greatest,
						   law->exponent);
	parts = fmax(beyond(end, ldexp((double) span * part, FRACTION_BITS)), 0);
	span <<= FRACTION_BITS;
	return steps_value(
		end,
		(dp_int128) law->least * ((dp_int128) 1 << FRACTION_BITS) +
			Min((dp_int128) (end->is_high ? ceil(parts) : floor(parts)), span),
		law->exponent - FRACTION_BITS);
}

/* A double as a numeric, whose 15 digits are rounded. */
static Datum
numeric_of_double(const DpEnd *end, double x)
{
	Datum value = DirectFunctionCall1(float8_numeric, Float8GetDatum(x));
	double rounded = dp_numeric_to_double(value);

	if (end->is_high ? rounded < x : rounded > x)
		value = DirectFunctionCall1(
			float8_numeric,
			Float8GetDatum(x * (1 + (end->is_high ? 1 : -1) * 1e-14)));
	return value;
}

/*
 * The interval is extended to the answer, which is computed from the sums in
 * another way.
 */
static Datum
variance_end(const DpEnd *end, Datum answer, const dp_int128 *sums)
{
	const DpLaw *law = end->law;
	double span =
		ldexp((double) law->greatest - (double) law->least, law->exponent);
	double value =
		dp_law_variance_end(law, end->level, end->width, sums, end->is_high);
	double shown = end->type == FLOAT8OID ? DatumGetFloat8(answer)
										  : dp_numeric_to_double(answer);

	value = law->kind == DP_LAW_DEVIATION || law->kind == DP_LAW_DEVIATION_POP
				? sqrt(value) * span
				: value * span * span;
	if (value > 0)
		value = fmax(beyond(end, value), 0);
	value = end->is_high ? fmax(value, shown) : fmin(value, shown);
	return end->type == FLOAT8OID ? Float8GetDatum(value)
								  : numeric_of_double(end, value);
}

bool
dp_law_end(const DpEnd *end, Datum answer, const dp_int128 *sums, Datum *value)
{
	switch (end->law->kind)
	{
		case DP_LAW_NONE:
			return false;
		case DP_LAW_EXACT:
			*value = answer;
			return true;
		case DP_LAW_NOISE:
			*value = noise_end(end, answer);
			return true;
		case DP_LAW_WALK_UP:
		case DP_LAW_WALK_DOWN:
			*value = walk_end(end, answer);
			return true;
		case DP_LAW_RATIO:
			*value = part_value(end, dp_law_ratio_end(end->law, end->level,
													  end->width, sums,
													  end->is_high));
			return true;
		case DP_LAW_LEVELS:
			*value = part_value(
				end, dp_law_level_end(end->width, sums, end->is_high));
			return true;
		case DP_LAW_VARIANCE:
		case DP_LAW_DEVIATION:
		case DP_LAW_VARIANCE_POP:
		case DP_LAW_DEVIATION_POP:
			*value = variance_end(end, answer, sums);
			return true;
		case DP_LAW_REGRESSION:
			*value = dp_regression_end(end, answer, sums);
			return true;
	}
	return false;
}
