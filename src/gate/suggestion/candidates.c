/*
 * candidates.c
 *		Public numbers that can be suggested.
 *
 * Marks are compared as double precision, or as numeric if the column is
 * numeric; dates and timestamps as seconds since 1970. They are computed in
 * doubles, which is no risk since they are public; what is compared with
 * values is the text that is suggested.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/datetime.h"
#include "utils/timestamp.h"

#include "gate/suggestion/candidates.h"

#define STEPS_OF_TWO 4 /* candidates between a power of 2 and the next */

/*
 * Powers of 2: of sizes and integers; of other numbers from the least one on.
 */
#define MOST_OF_SIZE 30
#define LEAST_OF_REAL (-20)
#define MOST_OF_REAL 100

#define FIRST_YEAR 1800
#define LAST_YEAR 2200

/* Texts and numbers to compare with, in the order in which they are added. */
typedef struct Series
{
	int count;
	char **texts;
	char **values;
} Series;

static Series
make_series(int room)
{
	return (Series){0, palloc(room * sizeof(char *)),
					palloc(room * sizeof(char *))};
}

static void
add(Series *series, char *text, char *value)
{
	series->texts[series->count] = text;
	series->values[series->count++] = value;
}

/*
 * The values, with a sign before them, as an array's literal, the last first.
 */
static DpCandidates
descend(const Series *series, const char *sign)
{
	DpCandidates result = {series->count, series->texts, NULL};
	StringInfoData marks;
	int i;

	initStringInfo(&marks);
	for (i = series->count - 1; i >= 0; i--)
		appendStringInfo(&marks, "%c%s%s", i == series->count - 1 ? '{' : ',',
						 sign, series->values[i]);
	appendStringInfoChar(&marks, '}');
	result.marks = marks.data;
	return result;
}

/* ceil(2^(i/4)) up to 2^most, each once. */
static void
add_integers(Series *series, int most)
{
	int64 last = 0;
	int i;

	for (i = 0; i <= most * STEPS_OF_TWO; i++)
	{
		int64 value = (int64) ceil(exp2((double) i / STEPS_OF_TWO));
		char *text;

		if (value == last)
			continue;
		text = psprintf(INT64_FORMAT, value);
		add(series, text, text);
		last = value;
	}
}

/* 2^(i/4), rounded up to three digits. */
static void
add_reals(Series *series)
{
	int i;

	for (i = LEAST_OF_REAL * STEPS_OF_TWO; i <= MOST_OF_REAL * STEPS_OF_TWO;
		 i++)
	{
		double value = exp2((double) i / STEPS_OF_TWO);
		double unit = pow(10, floor(log10(value)) - 2);
		char *text = psprintf("%.15g", ceil(value / unit - 1e-9) * unit);

		add(series, text, text);
	}
}

static bool
is_by_year(Oid type)
{
	return type == DATEOID || type == TIMESTAMPOID || type == TIMESTAMPTZOID;
}

static void
add_year(Series *series, Oid type, int year)
{
	int64 day = date2j(year, 1, 1) - UNIX_EPOCH_JDATE;

	add(series,
		psprintf("%04d-01-01%s", year,
				 type == DATEOID		? ""
				 : type == TIMESTAMPOID ? " 00:00:00"
										: " 00:00:00+00"),
		psprintf(INT64_FORMAT, day * SECS_PER_DAY));
}

static DpCandidates
years(Oid type, DpSide side)
{
	Series series = make_series(LAST_YEAR - FIRST_YEAR + 1);
	int i;

	for (i = 0; i <= LAST_YEAR - FIRST_YEAR; i++)
		add_year(&series, type,
				 side == DP_SIDE_UPPER ? FIRST_YEAR + i : LAST_YEAR - i);
	if (side == DP_SIDE_LOWER)
		return descend(&series, "");

	/* Without a second sign: "--5" is no number. */
	for (i = 0; i < series.count; i++)
		series.values[i] = series.values[i][0] == '-'
							   ? series.values[i] + 1
							   : psprintf("-%s", series.values[i]);
	return descend(&series, "");
}

DpCandidates
dp_candidates_of_sizes(void)
{
	Series series = make_series(MOST_OF_SIZE * STEPS_OF_TWO + 1);

	add_integers(&series, MOST_OF_SIZE);
	return descend(&series, "-");
}

DpCandidates
dp_candidates_of_column(Oid type, DpSide side)
{
	Series series =
		make_series((MOST_OF_REAL - LEAST_OF_REAL) * STEPS_OF_TWO + 2);
	DpCandidates result;
	int i;

	if (is_by_year(type))
		return years(type, side);
	add(&series, pstrdup("0"), pstrdup("0"));
	if (type == INT2OID || type == INT4OID || type == INT8OID)
		add_integers(&series, type == INT2OID ? 15 : type == INT4OID ? 31 : 62);
	else
		add_reals(&series);

	/* Below 0 as above: what is compared is -value there, and value here. */
	result = descend(&series, "-");
	for (i = 1; i < result.count && side == DP_SIDE_LOWER; i++)
		result.texts[i] = psprintf("-%s", result.texts[i]);
	return result;
}

bool
dp_candidates_cross(Oid type, const char *lower, const char *upper)
{
	/* Years have four digits; numbers are on either side of 0. */
	return is_by_year(type) && strcmp(lower, upper) > 0;
}

const char *
dp_candidates_type(Oid type)
{
	switch (type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case FLOAT4OID:
		case FLOAT8OID:
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return "float8";
		case NUMERICOID:
			return "numeric";
		default:
			return NULL;
	}
}

const char *
dp_candidates_expression(Oid type)
{
	switch (type)
	{
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return "extract(epoch FROM %s)::float8";
		case NUMERICOID:
			return "nullif(%s::numeric, 'NaN')";
		default:
			return "nullif(%s::float8, 'NaN')";
	}
}
