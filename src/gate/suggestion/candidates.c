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
#include "server/plain_type.h"

#define STEPS_OF_TWO 4 /* candidates between a power of 2 and the next */

/*
 * Powers of 2: of sizes and integers; of other numbers from the least one on.
 */
#define MOST_OF_SIZE 30
#define LEAST_OF_REAL (-20)
#define MOST_OF_REAL 100

#define FIRST_YEAR 1800
#define LAST_YEAR 2200

/* More than there are in any walk. */
#define CANDIDATES_MAX 512

/* Candidates and their marks, in the order in which they are added. */
typedef struct Series
{
	DpSide side;
	int count;
	char **texts;
	char *marks[CANDIDATES_MAX];
} Series;

static void
begin(Series *series, DpSide side)
{
	series->side = side;
	series->count = 0;
	series->texts = palloc(CANDIDATES_MAX * sizeof(char *));
}

static void
add(Series *series, char *text, char *mark)
{
	Assert(series->count < CANDIDATES_MAX);
	series->texts[series->count] = text;
	series->marks[series->count++] = mark;
}

/* A number that is not negative, or its negative on the lower side. */
static void
add_number(Series *series, char *text)
{
	char *negative = psprintf("-%s", text);

	add(series, series->side == DP_SIDE_UPPER ? text : negative, negative);
}

/* The last mark is the least. type: as which marks are compared. */
static DpCandidates
finish(const Series *series, const char *type)
{
	StringInfoData marks;
	int i;

	initStringInfo(&marks);
	for (i = series->count - 1; i >= 0; i--)
		appendStringInfo(&marks, "%s%s", marks.len == 0 ? "'{" : ",",
						 series->marks[i]);
	appendStringInfo(&marks, "}'::%s[]", type);
	return (DpCandidates){
		.count = series->count,
		.texts = series->texts,
		.sign = series->side == DP_SIDE_UPPER ? "-" : "",
		.marks = marks.data,
	};
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

		if (value != last)
			add_number(series, psprintf(INT64_FORMAT, value));
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

		add_number(series, psprintf("%.15g", ceil(value / unit - 1e-9) * unit));
	}
}

static bool
is_integer(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID;
}

static bool
is_by_year(Oid type)
{
	return type == DATEOID || type == TIMESTAMPOID || type == TIMESTAMPTZOID;
}

static void
add_years(Series *series, Oid type)
{
	const char *time = type == DATEOID		  ? ""
					   : type == TIMESTAMPOID ? " 00:00:00"
											  : " 00:00:00+00";
	int sign = series->side == DP_SIDE_UPPER ? -1 : 1;
	int i;

	for (i = 0; i <= LAST_YEAR - FIRST_YEAR; i++)
	{
		int year = sign < 0 ? FIRST_YEAR + i : LAST_YEAR - i;
		int64 day = date2j(year, 1, 1) - UNIX_EPOCH_JDATE;

		add(series, psprintf("%04d-01-01%s", year, time),
			psprintf(INT64_FORMAT, sign * day * SECS_PER_DAY));
	}
}

DpCandidates
dp_candidates_of_sizes(void)
{
	Series series;

	begin(&series, DP_SIDE_UPPER);
	add_integers(&series, MOST_OF_SIZE);
	return finish(&series, "float8");
}

DpCandidates
dp_candidates_of_column(Oid type, DpSide side)
{
	Series series;

	begin(&series, side);
	if (is_by_year(type))
		add_years(&series, type);
	else
		add(&series, "0", "0");
	if (is_integer(type))
		add_integers(&series, type == INT2OID ? 15 : type == INT4OID ? 31 : 62);
	else if (!is_by_year(type))
		add_reals(&series);
	return finish(&series, type == NUMERICOID ? "numeric" : "float8");
}

bool
dp_candidates_cross(Oid type, const char *lower, const char *upper)
{
	/* Years have four digits; numbers are on either side of 0. */
	return is_by_year(type) && strcmp(lower, upper) > 0;
}

bool
dp_candidates_exist(Oid type)
{
	return dp_plain_type_is(type, DP_PLAIN_NUMBER) || is_by_year(type);
}

char *
dp_candidates_number(Oid type, const char *column)
{
	if (is_by_year(type))
		return psprintf("extract(epoch FROM %s)::float8", column);
	return psprintf("nullif(%s::%s, 'NaN')", column,
					type == NUMERICOID ? "numeric" : "float8");
}
