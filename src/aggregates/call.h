/*
 * call.h
 *		What one call of a dp_ aggregate asks for.
 *
 * The parameters of an aggregate (bounds, epsilon, mechanism, fraction) are
 * the same for all rows. They are read from the plan, not from the rows: from
 * the Aggref's argument expressions, which must be constants or query
 * parameters. So they are known on empty input and in a parallel plan's final
 * step, where no row is seen, and no per-row work is spent on them.
 *
 * For the gate there are other forms of the dp_ aggregates in the schema
 * dp_noise: ..._of_rows and ..._of_units, which also take, as constants, how
 * much one privacy unit contributes. The last argument of those of units is a
 * partial result for each unit, which they bound. ..._of_parts take sums of either,
 * which are bounded by then.
 *
 * Lifetime: a DpCall is made at the first call of a support function in an
 * execution and kept in its fn_extra.
 */
#ifndef DP_AGGREGATES_CALL_H
#define DP_AGGREGATES_CALL_H

#include "fmgr.h"
#include "lib/ilist.h"

#include "aggregates/aggregate.h"
#include "aggregates/number.h"
#include "core/epsilon.h"
#include "core/grid.h"
#include "mechanisms/contribution.h"
#include "mechanisms/mechanism.h"
#include "server/compat.h"
#include "server/ordered_type.h"

struct DpCategories;
struct DpParameters;

/* The argument of dp_count_distinct that caps the values of a unit, from 0. */
#define DP_CALL_CAP 3

typedef struct DpCall
{
	DpAggregate aggregate;
	Oid type; /* of the value, a base type; not for dp_count */
	const DpOrderedType *ordered; /* of dates, times and intervals; or NULL */
	double epsilon_default; /* of budgets, for a session without; 0: none */
	bool names_epsilon;		/* epsilon is a parameter of the call */
	double epsilon_asked;	/* charged to 15 digits (accounting/amount.h) */
	DpEpsilon epsilon;		/* as it is used: that, rounded down */
	DpMechanismChoice choice;
	double fraction;			 /* quantile: 0 .. 1; median: 0.5 */
	double *fractions;			 /* quantiles: each 0 .. 1 */
	uint32 fraction_count;		 /* of them: 1 .. DP_QUANTILES_MAX */
	DpContribution contribution; /* of one privacy unit */
	bool of_values; /* dp_count_distinct of values, of which a unit may have
					 * several, not of units */
	uint32 cap;		/* values that a unit may have there; 0: its rows */

	/* Rows that a unit may have at most where a cap is chosen; 0: none is. */
	uint32 most_rows;
	bool of_units;	  /* what is aggregated are units, not rows */
	bool is_bounded;  /* a form of the gate: so is its memory */
	dlist_head pools; /* where states have files (values_pool.h) */
	DpGrid grid;	  /* of bounds; of min: as for max */
	DpGrid second;	  /* of a second value's, of type double precision */
	Datum bounds[2];  /* as they are given, of their type */
	struct DpCategories *categories; /* mode: the values to choose from; max and
									  * min of texts: those, in order */
	void *prepared; /* belongs to the support function's file */
} DpCall;

/*
 * The call that a support function of an aggregate serves.
 *
 * Errors: invalid_parameter_value, null_value_not_allowed (parameters);
 * feature_not_supported (parameter that may differ between rows, window use).
 */
extern DpCall *dp_call_get(FunctionCallInfo fcinfo, DpAggregate aggregate);

/*
 * Checks parameters and fills in a call, whose aggregate is set. The same for
 * an aggregate in a plan and for the gate, so that what is charged is what is
 * drawn. Errors: as above.
 */
extern void dp_call_check(const struct DpParameters *given, DpCall *call);

/*
 * Gives a checked call another mechanism, written as in SQL: as if it had been the
 * call's parameter. Errors: as above.
 */
extern void dp_call_set_mechanism(DpCall *call, const char *mechanism);

/*
 * What a checked call's mechanism and price depend on, and nothing that differs from
 * one execution to the next, as the key of a DpMemo; false where that is more than a
 * DpCall holds.
 */
extern bool dp_call_key(const DpCall *call, DpCall *key);

/* How a call is written in a statement. */
typedef struct DpWrittenCall
{
	DpAggregate aggregate;
	const char
		*name;	/* of the server's aggregate that it stands for, or NULL */
	int cursor; /* in the statement, for errposition(); 0: unknown */
} DpWrittenCall;

/*
 * Refuses a call without bounds of an aggregate that takes them. otherwise:
 * what can be done instead of writing them, a clause that begins with a comma;
 * or empty. Error: invalid_parameter_value.
 */
pg_noreturn extern void dp_call_refuse_without_bounds(DpWrittenCall call,
													  const char *otherwise);

/* The same for texts, whose values must be declared. */
pg_noreturn extern void dp_call_refuse_without_texts(DpWrittenCall call,
													 const char *otherwise);

/* Refuses values of type money. Error: feature_not_supported. */
pg_noreturn extern void dp_call_refuse_money(void);

/*
 * Raises the error for a status other than DP_OK of preparing a call. For a
 * mechanism that the aggregate does not offer, a hint lists those it does.
 */
extern void dp_call_report(const DpCall *call, DpStatus status);

/* The index of a text among the declared ones; false for others. */
extern bool dp_call_text_point(const DpCall *call, Datum value, int64 *point);

/*
 * The grid point of a value that is not NULL. False for NaN, which is skipped
 * as NULL is. Inline: it is called for every row.
 */
static inline bool
dp_call_grid_point(const DpCall *call, Datum value, int64 *point)
{
	int64 integer;
	double number;

	if (unlikely(call->categories != NULL))
		return dp_call_text_point(call, value, point);
	if (unlikely(call->ordered != NULL))
	{
		*point =
			dp_grid_from_integer(&call->grid, call->ordered->number_of(value));
		return true;
	}
	switch (dp_number_read(call->type, value, &integer, &number))
	{
		case DP_NUMBER_INTEGER:
			*point = dp_grid_from_integer(&call->grid, integer);
			return true;
		case DP_NUMBER_DOUBLE:
			*point = dp_grid_from_double(&call->grid, number);
			return true;
		case DP_NUMBER_NAN:
			break;
	}
	return false;
}

/*
 * A function of SQL that is another one for its aggregate: function(fcinfo, ...), at
 * the top of a file.
 */
#define DP_CALL_FUNCTION(name, function, ...) \
	PG_FUNCTION_INFO_V1(name); \
	Datum name(PG_FUNCTION_ARGS) \
	{ \
		return function(fcinfo, __VA_ARGS__); \
	}

/* dp_call_get, for every row. */
static inline DpCall *
dp_call_of_row(FunctionCallInfo fcinfo, DpAggregate aggregate)
{
	DpCall *call = fcinfo->flinfo->fn_extra;

	return likely(call != NULL) ? call : dp_call_get(fcinfo, aggregate);
}

/*
 * The grid point of a row's value, the function's second argument; false when
 * the row is skipped.
 */
static inline bool
dp_call_row_point(FunctionCallInfo fcinfo, const DpCall *call, int64 *point)
{
	return likely(!PG_ARGISNULL(1)) &&
		   likely(dp_call_grid_point(call, PG_GETARG_DATUM(1), point));
}

/*
 * A point of the grid as the value's own type (max, min, quantiles): rounded
 * to the digits that the grid tells apart, and within the bounds as they are
 * given.
 */
extern Datum dp_call_value_of(const DpCall *call, int64 point);

/*
 * The same of dates, times and intervals, in steps of 2^exponent and wherever
 * it lies: it is brought into the range of the type.
 */
extern Datum dp_call_ordered_value(const DpCall *call, dp_int128 number,
								   int exponent);

#endif
