/*
 * sample_state.c
 *		dp_noise.sample_points, .sample_bins and .sample_categories: at most so
 *		many values of a unit, chosen at random.
 *
 * Any subset of that size is as likely as any other, in whichever order the
 * rows come and however they are divided among workers.
 */
#include "postgres.h"

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/memutils.h"

#include "aggregates/bins.h"
#include "aggregates/call.h"
#include "aggregates/categories.h"
#include "aggregates/parameters.h"
#include "aggregates/sample_state.h"
#include "aggregates/support.h"
#include "samplers/reservoir.h"
#include "server/compat.h"
#include "server/report.h"

PG_FUNCTION_INFO_V1(dp_sample_points_transition);
PG_FUNCTION_INFO_V1(dp_sample_bins_transition);
PG_FUNCTION_INFO_V1(dp_sample_categories_transition);
PG_FUNCTION_INFO_V1(dp_sample_combine);
PG_FUNCTION_INFO_V1(dp_sample_state_in);
PG_FUNCTION_INFO_V1(dp_sample_state_out);

/* Points for which a new state has room. */
#define INITIAL_POINTS 4

/* What a call of the aggregates has in its fn_extra. */
typedef struct SampleCall
{
	DpCall call; /* for its grid, its type or its categories */
	DpBins bins; /* of sample_bins */
	uint32 limit;
} SampleCall;

/* The number of points to keep, the argument of that number. */
static uint32
read_limit(const DpParameters *parameters, int argno)
{
	if (!parameters->known[argno] || parameters->nulls[argno] ||
		DatumGetInt32(parameters->values[argno]) < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("number of values must be at least 1, and the "
							   "same for all rows"),
						errhint("Write a constant or a query parameter.")));
	return (uint32) DatumGetInt32(parameters->values[argno]);
}

/*
 * (state, value, lower, upper, limit integer) of points,
 * (state, value, limit integer) of bins, or
 * (state, value, [values,] limit integer) of categories: its call.
 */
static SampleCall *
sample_call(FunctionCallInfo fcinfo, DpAggregate aggregate)
{
	FmgrInfo *flinfo = fcinfo->flinfo;

	if (flinfo->fn_extra == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(flinfo->fn_mcxt);
		SampleCall *sample = palloc0(sizeof(SampleCall));
		DpParameters parameters;

		dp_parameters_read(fcinfo, 1, &parameters);
		parameters.count--;
		sample->limit = read_limit(&parameters, parameters.count);
		sample->call.aggregate = aggregate;
		dp_call_check(&parameters, &sample->call);
		if (aggregate == DP_AGGREGATE_BOUNDS)
			sample->bins = dp_bins_of_type(sample->call.type);
		MemoryContextSwitchTo(old);
		flinfo->fn_extra = sample;
	}
	return flinfo->fn_extra;
}

static uint64
room_of(const DpSampleState *state)
{
	return (VARSIZE(state) - dp_sample_state_size(0)) / sizeof(int64);
}

/*
 * Counting stops here, so that two such numbers can be added. They are of one
 * unit, whose sample would be a less even one, and no larger.
 */
#define SEEN_MAX (INT64CONST(1) << 61)

DpSampleState *
dp_sample_state_of(Datum datum)
{
	DpSampleState *state = (DpSampleState *) PG_DETOAST_DATUM(datum);

	if (VARSIZE(state) < dp_sample_state_size(0) || state->limit < 1 ||
		state->seen < 0 || state->seen > SEEN_MAX ||
		dp_sample_state_kept(state) > room_of(state))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("invalid value of type %s", "dp_noise.sample_state")));
	return state;
}

/* A state with room for this many points; others are zero, not garbage. */
static DpSampleState *
make_state(uint32 limit, uint64 room)
{
	DpSampleState *state;
	Size size;

	room = Min(room, limit);
	size = dp_sample_state_size(room);
	if (!AllocSizeIsValid(size))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many values of one privacy unit"),
				 errhint("Ask the owner for a smaller max_rows_per_unit.")));
	state = palloc0(size);
	SET_VARSIZE(state, size);
	state->limit = limit;
	return state;
}

/* The state, with room for one more point: in place, or the double of it. */
static DpSampleState *
reserve(DpSampleState *state)
{
	uint64 kept = dp_sample_state_kept(state);
	DpSampleState *larger;

	if (kept == state->limit || kept < room_of(state))
		return state;
	larger = make_state(state->limit, 2 * kept);
	larger->seen = state->seen;
	memcpy(larger->points, state->points, kept * sizeof(int64));
	return larger;
}

/* Where to put the next point; the limit when it is left out. */
static uint64
choose_slot(const DpSampleState *state, int64 point)
{
	uint64_t slot;

#ifdef DP_RECORD
	/* The same points in whichever order they come (random/record.h). */
	uint64_t greatest = dp_record_rank(point);
	uint64_t i;

	slot = state->limit;
	if ((uint64_t) state->seen < state->limit)
		return (uint64) state->seen;
	for (i = 0; i < state->limit; i++)
	{
		if (dp_record_rank(state->points[i]) <= greatest)
			continue;
		slot = i;
		greatest = dp_record_rank(state->points[i]);
	}
#else
	(void) point;
	dp_report_status(dp_reservoir_slot(
		dp_report_random(), (uint64_t) state->seen, state->limit, &slot));
#endif
	return slot;
}

/* Not strict: most states begin with NULL. The server copies a new state. */
static Datum
add_point(FunctionCallInfo fcinfo, uint32 limit, int64 point)
{
	DpSampleState *state;
	uint64 slot;

	if (PG_ARGISNULL(0))
		state = make_state(limit, INITIAL_POINTS);
	else
		state = reserve(dp_sample_state_of(PG_GETARG_DATUM(0)));
	slot = choose_slot(state, point);
	if (slot < state->limit)
		state->points[slot] = point;
	state->seen = Min(state->seen + 1, SEEN_MAX);
	PG_RETURN_POINTER(state);
}

/* The state as it was. */
static Datum
add_nothing(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

Datum
dp_sample_points_transition(PG_FUNCTION_ARGS)
{
	SampleCall *sample = sample_call(fcinfo, DP_AGGREGATE_MEDIAN_EXP);
	int64 point;

	if (!dp_call_row_point(fcinfo, &sample->call, &point))
		return add_nothing(fcinfo);
	return add_point(fcinfo, sample->limit, point);
}

Datum
dp_sample_bins_transition(PG_FUNCTION_ARGS)
{
	SampleCall *sample = sample_call(fcinfo, DP_AGGREGATE_BOUNDS);
	uint32 bin;

	if (PG_ARGISNULL(1) || !dp_bins_find(sample->call.type, sample->bins,
										 PG_GETARG_DATUM(1), &bin))
		return add_nothing(fcinfo);
	return add_point(fcinfo, sample->limit, bin);
}

/* Values outside the categories are skipped: they are not chosen from. */
Datum
dp_sample_categories_transition(PG_FUNCTION_ARGS)
{
	SampleCall *sample = sample_call(fcinfo, DP_AGGREGATE_MODE);
	const DpCategories *categories = sample->call.categories;
	int64 index = -1;

	if (!PG_ARGISNULL(1))
		index = dp_categories_find(categories, PG_GETARG_DATUM(1));
	if (index < 0)
		return add_nothing(fcinfo);
	return add_point(fcinfo, sample->limit,
					 dp_categories_point(categories, index));
}

const DpSampleState *
dp_sample_state_argument(FunctionCallInfo fcinfo, uint32 most)
{
	const DpSampleState *sample =
		dp_sample_state_of(PG_GETARG_DATUM(PG_NARGS() - 1));

	if (sample->limit > most)
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("sample has more values of a privacy unit than may count"),
			 errhint("Combine samples of at most that many values.")));
	return sample;
}

/* (state, state) strict. */
Datum
dp_sample_combine(PG_FUNCTION_ARGS)
{
	DpSampleState *a;
	DpSampleState *b;
	DpSampleState *joined;

	dp_support_check(fcinfo);
	a = dp_sample_state_of(PG_GETARG_DATUM(0));
	b = dp_sample_state_of(PG_GETARG_DATUM(1));
	if (a->limit != b->limit)
		elog(ERROR, "samples of different sizes cannot be joined");

	/* Both are reordered: a is the aggregate's own, b must be copied. */
	joined =
		make_state(a->limit, dp_sample_state_kept(a) + dp_sample_state_kept(b));
	b = memcpy(palloc(VARSIZE(b)), b, VARSIZE(b));
	dp_report_status(dp_reservoir_join(dp_report_random(), a->limit, a->points,
									   (uint64_t) a->seen, b->points,
									   (uint64_t) b->seen, joined->points));
	joined->seen = Min(a->seen + b->seen, SEEN_MAX);
	PG_RETURN_POINTER(joined);
}

Datum
dp_sample_state_in(PG_FUNCTION_ARGS)
{
	(void) fcinfo;
	ereport(
		ERROR,
		(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		 errmsg("values of type %s cannot be read", "dp_noise.sample_state"),
		 errhint("The aggregate dp_noise.sample_points makes them.")));
	PG_RETURN_NULL();
}

/* {seen,point,point,...} */
Datum
dp_sample_state_out(PG_FUNCTION_ARGS)
{
	const DpSampleState *state = dp_sample_state_of(PG_GETARG_DATUM(0));
	StringInfoData text;
	uint64 i;

	initStringInfo(&text);
	appendStringInfo(&text, "{" INT64_FORMAT, state->seen);
	for (i = 0; i < dp_sample_state_kept(state); i++)
		appendStringInfo(&text, "," INT64_FORMAT, state->points[i]);
	appendStringInfoChar(&text, '}');
	PG_RETURN_CSTRING(text.data);
}
