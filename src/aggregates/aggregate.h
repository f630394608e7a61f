/*
 * aggregate.h
 *		The private aggregates: one table, with one row for each.
 *
 * A row has what is known of an aggregate before any call of it, and the
 * functions that implement it. Whoever adds an aggregate adds a value here, a
 * row in aggregate.c and the functions that it names. A row that lacks its
 * names or functions is found when the module is loaded; what else is left out
 * is zero, and zero is the careful choice: a state that grows, an answer that
 * must be a value of the type, no values of type money.
 */
#ifndef DP_AGGREGATES_AGGREGATE_H
#define DP_AGGREGATES_AGGREGATE_H

#include "postgres.h"

#include "core/grid.h"
#include "core/int128.h"
#include "core/status.h"
#include "mechanisms/mechanism.h"
#include "mechanisms/zcdp.h"

struct DpCall;
struct DpDescription;
struct DpLaw;
union DpPrepared;

/* In the order in which messages list them. */
typedef enum DpAggregate
{
	DP_AGGREGATE_COUNT,
	DP_AGGREGATE_SUM,
	DP_AGGREGATE_MEAN,
	DP_AGGREGATE_MAX,
	DP_AGGREGATE_MIN,
	DP_AGGREGATE_VARIANCE,
	DP_AGGREGATE_STDDEV,
	DP_AGGREGATE_VAR_POP,
	DP_AGGREGATE_STDDEV_POP,
	DP_AGGREGATE_MEDIAN,
	DP_AGGREGATE_MEDIAN_EXP,
	DP_AGGREGATE_QUANTILE,
	DP_AGGREGATE_QUANTILES,
	DP_AGGREGATE_MODE,
	DP_AGGREGATE_BOUNDS,
	DP_AGGREGATE_COUNT_DISTINCT,
	DP_AGGREGATE_REGRESSION,
	DP_AGGREGATE_SUM_DISTINCT,
	DP_AGGREGATE_MEAN_DISTINCT,
	DP_AGGREGATE_NONE /* none of them, and how many there are */
} DpAggregate;

/* What an aggregate takes between its value and its bounds. */
typedef enum DpOwnArgument
{
	DP_OWN_NONE,
	DP_OWN_VALUE, /* a second value of each row, which has bounds as well */
	DP_OWN_FRACTION,
	DP_OWN_FRACTIONS, /* an array */
	DP_OWN_CATEGORIES /* an array; left out where the type has few values */
} DpOwnArgument;

/* What auto minimises where all budgets that pay count rho. */
typedef enum DpByRho
{
	DP_BY_RHO_NOTHING,
	DP_BY_RHO_VARIANCE, /* of noise, at the same price */
	DP_BY_RHO_PRICE
} DpByRho;

/* Its fields are in the order of what they are about, not of their sizes. */
/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding) */
typedef struct DpAggregateTraits
{
	DpAggregate aggregate;
	const char *name; /* in SQL */

	/*
	 * Its forms in the schema dp_noise. partial: the result of one unit, which
	 * of_units takes; NULL: the server's count.
	 */
	const char *of_rows;
	const char *of_units;
	const char *partial;

	/*
	 * The same of sums that other nodes have computed (gate/run/nodes): of rows or
	 * of bounded units; and of the partial result of one unit. NULL: they compute
	 * none for it.
	 */
	const char *of_parts;
	const char *partial_of_parts;

	/* of_rows, which takes the number of rows with a value, too; NULL: there is none. */
	const char *of_points;

	/*
	 * What a call takes: a value, its own, bounds, epsilon, mechanism, a cap.
	 */
	const char *mechanisms; /* those it offers, in words; NULL: it takes none */
	DpOwnArgument own;
	bool takes_bounds; /* or, of texts, declared values */
	bool may_choose;   /* bounds may be chosen privately where there are none */

	/*
	 * How many rows of a unit count may be chosen, too: noise grows with them, and
	 * of_units alone bounds them.
	 */
	bool may_choose_cap;
	bool takes_cap; /* how many values of a unit count */

	/* The values it takes. */
	Oid counted_as;			 /* the type that SQL declares for them, where they
							  * are only counted or told apart; InvalidOid: it
							  * computes with them */
	bool needs_type;		 /* of values, though it takes no bounds */
	bool takes_money;		 /* values of type money are allowed, since they
							  * are at most told apart */
	bool ignores_duplicates; /* DISTINCT changes nothing */
	DpGridScale scale;		 /* what of the bounds is limited */

	/* Its answers. */
	bool is_computed;	/* it need not be a value of the type */
	bool of_different;	/* of different values, each once, as units can name
						 * them (mechanisms/distinct_basis.h) */
	bool adds_up;		/* that of all is the sum of those of parts */
	bool is_root;		/* the root of a variance */
	bool of_population; /* a variance divided by the rows, not by one less */
	bool is_median;		/* the quantile at 0.5, and the same question */
	DpMechanism chain;	/* at privacy levels (gate/bound/levels.h); DP_AUTO: it
						* has none there */
	DpByRho by_rho;
	bool has_count; /* how many rows it is of can be told from it: it is a noisy
					 * count, or its sums have one (dp_law_rows) */
	int sums; /* beneath a release: it gives this many noisy sums, of which answer
			   * makes its answer (noisy_sums.h); 0: it gives that itself */

	/* Its states, and how units of several rows are bounded. */
	bool has_fixed_state; /* it does not grow with the rows */
	bool samples_units;	  /* partial is a sample, of as many as a cap says */
	const char *bound;	  /* for EXPLAIN: how a unit is bounded, %u its rows */

	/* Prepares what a checked call draws with. Errors: the mechanism's. */
	void (*prepare)(const struct DpCall *call, union DpPrepared *prepared);

	/*
	 * Fills in what is particular to it in a description (describe.c), and
	 * finds the rho of its mechanism.
	 */
	DpStatus (*describe)(const struct DpCall *call,
						 const union DpPrepared *prepared,
						 struct DpDescription *description, DpRho *rho);

	/*
	 * Fills in the law of its answers, all zero on entry; NULL: they have
	 * none.
	 */
	void (*law)(const struct DpCall *call, const union DpPrepared *prepared,
				struct DpLaw *law);

	/* The answer that its sums are; NULL where it has none. */
	Datum (*answer)(const struct DpCall *call, const union DpPrepared *prepared,
					const dp_int128 *sums);
} DpAggregateTraits;

/*
 * Checks the table when the module is loaded. Internal error: a row is out of
 * order, or lacks what every row must have.
 */
extern void dp_aggregate_init(void);

/* The row of an aggregate. */
extern const DpAggregateTraits *dp_aggregate_get(DpAggregate aggregate);

/* The row of that SQL name; NULL where there is none. */
extern const DpAggregateTraits *dp_aggregate_find(const char *name);

/* Its SQL name. */
extern const char *dp_aggregate_name(DpAggregate aggregate);

/* All names, as in "a, b or c", in the current memory context. */
extern char *dp_aggregate_names(void);

/* Number of its arguments that differ between rows. */
extern int dp_aggregate_values(const DpAggregateTraits *traits);

/* Number of its arguments before the bounds, without categories. */
extern int dp_aggregate_data_arguments(const DpAggregateTraits *traits);

/*
 * Those that say what values there are: bounds, or declared texts in an array.
 */
extern int dp_aggregate_bounding_arguments(const DpAggregateTraits *traits,
										   Oid value_type);

#endif
