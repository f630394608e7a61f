/*
 * choices.c
 *		Mechanisms that choose: among grid points (quantiles, medians, maxima),
 *		among a few levels, among candidates and bins.
 *
 * Each part of epsilon that is given away, added up over a unit's rows, groups
 * and nodes, is at most epsilon; scores and smooth sensitivities of random small
 * tables and all their neighbours differ by no more than was prepared for;
 * weights are what they are said to be, to the last bit; and what is drawn is
 * in range for any parameters and data, without overflow.
 */
#include <math.h>

#include "mechanisms/bounds.h"
#include "mechanisms/extreme.h"
#include "mechanisms/median.h"
#include "mechanisms/quantiles.h"
#include "mechanisms/selection.h"
#include "support/big.h"
#include "support/fuzz.h"

#define EPSILON_MAX ((uint64_t) 1000000 << DP_EPSILON_BITS)

#define SPAN_MAX ((uint64_t) 1 << DP_GRID_BITS)

static DpContribution
random_contribution(uint64_t *state)
{
	DpContribution contribution = {
		random_next_below(state, 2) ? DP_ADD_REMOVE : DP_SUBSTITUTE,
		(uint32_t) fuzz_number(state, 1, 2147483647), 0};

	if (random_next_below(state, 3) > 0)
		contribution.groups = (uint32_t) fuzz_number(state, 1, 2147483647);
	return contribution;
}

static DpEpsilon
random_epsilon(uint64_t *state)
{
	return (DpEpsilon){fuzz_number(state, 1, EPSILON_MAX)};
}

/* Answers that a unit is in, an exchange counting as two of them. */
static dp_uint128
parts_of(DpContribution contribution)
{
	if (contribution.groups == 0)
		return 1;
	return (dp_uint128) contribution.groups *
		   (contribution.neighbours == DP_SUBSTITUTE ? 2 : 1);
}

/* In one of them, is a unit exchanged? Else it comes or goes. */
static bool
is_exchanged(DpContribution contribution)
{
	return contribution.groups == 0 && contribution.neighbours == DP_SUBSTITUTE;
}

static bool
broken(DpContribution contribution, DpEpsilon epsilon, const char *what)
{
	diag("%s: epsilon %llu/2^20, %s, %u rows, %u groups", what,
		 (unsigned long long) epsilon.ticks,
		 contribution.neighbours == DP_SUBSTITUTE ? "substitute" : "add_remove",
		 contribution.rows, contribution.groups);
	return false;
}

/* Words that take loops of coins far, and then random ones. */
static DpRandom *
random_odd(uint64_t *state, TestRandom *source)
{
	uint64_t words[16];
	size_t count = random_next_below(state, 17);
	size_t i;

	for (i = 0; i < count; i++)
		words[i] = random_next_below(state, 2) ? 0 : UINT64_MAX;
	return random_words_then_seeded(source, words, count, *state);
}

#define VALUES_MAX 24

/* Values in lower .. upper, many of them at the ends; how many. */
static size_t
random_values(uint64_t *state, int64_t lower, uint64_t span, size_t most,
			  int64_t *values)
{
	size_t count = random_next_below(state, most + 1);
	size_t i;

	for (i = 0; i < count; i++)
		values[i] = lower + (int64_t) fuzz_number(state, 0, span);
	return count;
}

static int64_t
random_lower(uint64_t *state)
{
	int64_t lower = (int64_t) fuzz_number(state, 0, (uint64_t) 1 << 52);

	return random_next_below(state, 2) ? lower : -lower;
}

/* lower <= 2^191 exp(-x) <= upper, and no wider than so many units? */
static bool
encloses(const DpWeightBounds *bounds, Big *n, Big *d)
{
	const DpWeight *ends[2] = {&bounds->lower, &bounds->upper};
	Big *number[2];
	Big *lower;
	Big *upper;
	int i;

	for (i = 0; i < 2; i++)
		number[i] = big_sum(
			big_shift(big_of(ends[i]->limb[2]), 128),
			big_of((dp_uint128) ends[i]->limb[1] << 64 | ends[i]->limb[0]));

	/* with 128 bits more; a tie of theirs is none of ours */
	big_exp(n, d, DP_WEIGHT_BITS + 128, &lower, &upper);
	return big_at_most(big_shift(number[0], 128), upper) &&
		   big_at_most(lower, big_shift(number[1], 128)) &&
		   big_at_most(number[1], big_sum(number[0], big_of(4)));
}

/*
 * A quantile: each of c rows in each answer has its part of epsilon,
 * parts * c * share <= epsilon; the score moves by S ranks with a row,
 * S = max(q, 1-q), or 1 with an exchange; weights are exp(-share k / (2 S)).
 */
static bool
quantile_has_its_share(uint64_t *state)
{
	DpContribution contribution = random_contribution(state);
	DpEpsilon epsilon = random_epsilon(state);
	double fraction = random_next_below(state, 8) == 0
						  ? (double) random_next_below(state, 2)
						  : random_next_double(state);
	dp_uint128 times = parts_of(contribution) * contribution.rows;
	DpQuantile quantile;
	DpRankMechanism *rank = &quantile.rank;
	DpStatus status =
		dp_quantile_init(&quantile, fraction, epsilon, contribution);
	int64_t s = quantile.fraction > DP_RANK_ONE / 2
					? quantile.fraction
					: DP_RANK_ONE - quantile.fraction;
	Big *d;
	bool right;

	if (status != DP_OK)
		return (status == DP_EPSILON_OUT_OF_RANGE && epsilon.ticks < times) ||
			   broken(contribution, epsilon, "refused");
	if (is_exchanged(contribution))
		s = DP_RANK_ONE;
	if (rank->epsilon.ticks < 1 || rank->epsilon.ticks * times > epsilon.ticks)
		return broken(contribution, epsilon, "more than epsilon");
	if (fabs((double) quantile.fraction - fraction * (double) DP_RANK_ONE) >
			0.5 ||
		rank->sensitivity != s)
		return broken(contribution, epsilon, "not the score's sensitivity");
	if (random_next_below(state, 8) > 0)
		return true;
	big_begin();
	d = big_shift(big_of((dp_uint128) s), 1 + DP_EPSILON_BITS);
	right =
		encloses(&rank->step,
				 big_of((dp_uint128) rank->epsilon.ticks << DP_RANK_BITS), d) &&
		encloses(&rank->end,
				 big_of((dp_uint128) rank->epsilon.ticks * rank->cap), d);
	big_end();
	return right || broken(contribution, epsilon, "not the weights");
}

/* What a table of one more row, or of one exchanged, or one less looks like. */
static size_t
change_row(uint64_t *state, bool exchange, uint64_t span, int64_t *values,
		   size_t count)
{
	int64_t value = (int64_t) random_next_below(state, span + 1);

	if (exchange)
	{
		if (count > 0)
			values[random_next_below(state, count)] = value;
		return count;
	}
	values[count] = value;
	return count + 1;
}

#define DOMAIN_MAX 24

/*
 * k of every point of a small domain. Where all of them have the cap, the draw
 * is uniform, and pieces have k = 0.
 */
static void
scores_of(const DpRankMechanism *mechanism, int64_t target,
		  const int64_t *values, size_t count, uint64_t span, uint64_t *k)
{
	DpRankPiece pieces[2 * (VALUES_MAX + DOMAIN_MAX) + 8];
	int64_t copy[VALUES_MAX + 2];
	bool uniform = target < 0 && (uint64_t) -target >= mechanism->cap;
	size_t number;
	size_t i;
	uint64_t j;

	for (i = 0; i < count; i++)
		copy[i] = values[i];
	for (i = 0; i <= span; i++)
		k[i] = UINT64_MAX;
	number = dp_rank_pieces(mechanism, target, copy, count, 0, (int64_t) span,
							pieces, sizeof(pieces) / sizeof(pieces[0]));
	for (i = 0; i < number; i++)
	{
		for (j = 0; j < pieces[i].points; j++)
			k[pieces[i].start + (int64_t) j] =
				uniform ? mechanism->cap : pieces[i].k;
	}
}

/*
 * The score k(v) = min(cap, max(0, F L - t, t - F (L + c))) of a rank_exponential
 * moves by S at most, at every point, between any neighbours: that is what makes
 * weights exp(-epsilon k / (2 S)) epsilon-DP (McSherry and Talwar 2007).
 */
static bool
scores_move_by_their_sensitivity(uint64_t *state)
{
	DpNeighbours neighbours =
		random_next_below(state, 2) ? DP_ADD_REMOVE : DP_SUBSTITUTE;
	DpContribution contribution = dp_contribution_of_row(neighbours);
	DpEpsilon epsilon = random_epsilon(state);
	uint64_t span = random_next_below(state, DOMAIN_MAX);
	int64_t values[VALUES_MAX + 2];
	size_t count = random_values(state, 0, span, VALUES_MAX, values);
	uint64_t before[DOMAIN_MAX + 1] = {0};
	uint64_t after[DOMAIN_MAX + 1] = {0};
	double rank = (double) random_next_below(state, VALUES_MAX);
	DpMechanismChoice choice = {.mechanism = DP_EXPONENTIAL, .rank = rank};
	DpGrid grid = {.upper = (int64_t) span};
	DpQuantile quantile;
	DpExtreme extreme;
	DpRankMechanism *mechanism;
	bool is_extreme = random_next_below(state, 2);
	uint64_t v;
	int64_t target[2];
	int i;
	size_t counts[2];

	if (is_extreme)
	{
		if (dp_extreme_init(&extreme, &choice, epsilon, &grid, contribution) !=
			DP_OK)
			return broken(contribution, epsilon, "refused");
		mechanism = &extreme.ranks;
	}
	else
	{
		if (dp_quantile_init(&quantile, random_next_double(state), epsilon,
							 contribution) != DP_OK)
			return broken(contribution, epsilon, "refused");
		mechanism = &quantile.rank;
	}
	counts[0] = count;
	for (i = 0; i < 2; i++)
	{
		if (i == 1)
			counts[1] = change_row(state, neighbours == DP_SUBSTITUTE, span,
								   values, count);
		target[i] = is_extreme
						? ((int64_t) counts[i] - extreme.rank) * DP_RANK_ONE
						: quantile.fraction * (int64_t) counts[i];
		scores_of(mechanism, target[i], values, counts[i], span,
				  i == 0 ? before : after);
	}
	for (v = 0; v <= span; v++)
	{
		uint64_t apart =
			before[v] > after[v] ? before[v] - after[v] : after[v] - before[v];

		if (before[v] == UINT64_MAX || after[v] == UINT64_MAX)
			return broken(contribution, epsilon, "a point without a score");
		if (apart > (uint64_t) mechanism->sensitivity)
		{
			diag("%s of %zu values in 0 .. %llu, target %lld and %lld, cap "
				 "%llu: "
				 "at %llu from %llu to %llu, sensitivity %lld",
				 is_extreme ? "maximum" : "quantile", counts[1],
				 (unsigned long long) span, (long long) target[0],
				 (long long) target[1], (unsigned long long) mechanism->cap,
				 (unsigned long long) v, (unsigned long long) before[v],
				 (unsigned long long) after[v],
				 (long long) mechanism->sensitivity);
			return broken(contribution, epsilon, "a score moved further");
		}
	}
	return true;
}

/*
 * Several quantiles: a row is looked at by one node in each level of the tree,
 * and an exchange of rows below the root may touch two nodes of a level. The
 * nodes' epsilons, over levels, rows and answers, are at most epsilon in all.
 */
static bool
quantiles_have_their_shares(uint64_t *state)
{
	DpContribution contribution = random_contribution(state);
	DpEpsilon epsilon = random_epsilon(state);
	static union
	{
		DpQuantiles quantiles;
		char room[sizeof(DpQuantiles) + DP_QUANTILES_MAX * sizeof(DpQuantile)];
	} u;
	double fractions[DP_QUANTILES_MAX];
	uint32_t count = (uint32_t) fuzz_number(state, 1, 12);
	dp_uint128 times;
	dp_uint128 spent = 0;
	DpStatus status;
	uint32_t i;

	if (random_next_below(state, 2))
		contribution.rows = (uint32_t) random_next_below(state, 9) + 1;
	if (contribution.groups > 0 && random_next_below(state, 2))
		contribution.groups = (uint32_t) random_next_below(state, 9) + 1;
	times = parts_of(contribution) * contribution.rows;
	for (i = 0; i < count; i++)
		fractions[i] = random_next_below(state, 4) == 0
						   ? (double) random_next_below(state, 5) / 4
						   : random_next_double(state);
	status = dp_quantiles_init(&u.quantiles, fractions, count, epsilon,
							   contribution);
	if (status != DP_OK)
		return (status == DP_EPSILON_OUT_OF_RANGE &&
				epsilon.ticks < times * 16) ||
			   broken(contribution, epsilon, "refused");

	/* A path of the tree: the root and the dearest node of each level. */
	{
		uint32_t root = u.quantiles.distinct / 2;
		uint64_t below = 0;

		for (i = 0; i < u.quantiles.distinct; i++)
		{
			if (u.quantiles.nodes[i].rank.epsilon.ticks < 1)
				return broken(contribution, epsilon, "a node without epsilon");
			if (i != root && u.quantiles.nodes[i].rank.epsilon.ticks > below)
				below = u.quantiles.nodes[i].rank.epsilon.ticks;
		}
		spent = u.quantiles.nodes[root].rank.epsilon.ticks +
				(dp_uint128) (u.quantiles.levels - 1) * below *
					(is_exchanged(contribution) ? 2 : 1);
	}
	return spent * times <= epsilon.ticks ||
		   broken(contribution, epsilon, "more than epsilon");
}

/*
 * Smooth sensitivity (smooth_sensitivity.h): between neighbours J moves by q
 * lattice points at most and S by a factor of exp(beta), and the median, with the
 * bounds beyond the rows, by S at most.
 */
static bool
sensitivities_are_smooth(uint64_t *state)
{
	DpNeighbours neighbours =
		random_next_below(state, 2) ? DP_ADD_REMOVE : DP_SUBSTITUTE;
	DpContribution contribution = dp_contribution_of_row(neighbours);
	DpMechanismChoice choice = {.mechanism = random_next_below(state, 2)
												 ? DP_SMOOTH_CAUCHY
												 : DP_SMOOTH_LAPLACE,
								.delta = random_next_double(state)};
	DpEpsilon epsilon = {fuzz_number(state, 64, EPSILON_MAX)};
	uint64_t span = fuzz_number(state, 1, (uint64_t) 1 << 20);
	int64_t values[VALUES_MAX + 2];
	size_t count = random_values(state, 0, span, VALUES_MAX, values);
	DpSmooth smooth;
	uint64_t index[2];
	DpScale scale[2];
	int64_t median[2];
	dp_uint128 moved;
	int i;

	if (random_next_below(state, 2))
		choice.constants = DP_CONSTANTS_NRS;

	/* Mostly where wide windows decide: dense values, and a mean epsilon. */
	if (random_next_below(state, 4) > 0)
		epsilon.ticks = fuzz_number(state, 1 << 15, 1 << 22);
	if (random_next_below(state, 4) > 0)
		count = random_values(state, (int64_t) (span / 2), span / 64,
							  VALUES_MAX, values);
	if (dp_smooth_init(&smooth, &choice, epsilon, span, contribution) != DP_OK)
		return broken(contribution, epsilon, "refused");
	if (smooth.beta > 0 && smooth.beta < 4096)
		return true; /* too long a lattice for so many cases */
	for (i = 0; i < 2; i++)
	{
		if (i == 1)
			count = change_row(state, neighbours == DP_SUBSTITUTE, span, values,
							   count);
		index[i] = dp_smooth_index(&smooth, values, count, 0, (int64_t) span);
		scale[i] = dp_smooth_scale(&smooth, index[i]);
		median[i] = count > 0 ? values[(count - 1) / 2] : 0;
	}
	if (smooth.beta > 0 &&
		(index[0] > index[1] + smooth.q || index[1] > index[0] + smooth.q))
		return broken(contribution, epsilon, "not smooth");
	if (index[0] != index[1] && random_next_below(state, 4) == 0)
	{
		bool greater = scale[0].numerator > scale[1].numerator;
		bool within;
		Big *lower;
		Big *upper;

		/* the greater one times exp(-beta) is at most the other */
		big_begin();
		big_exp(big_of(smooth.beta), big_of(DP_SMOOTH_ONE), 200, &lower,
				&upper);
		within = big_at_most(
			big_product(big_of(scale[greater ? 0 : 1].numerator), lower),
			big_shift(big_of(scale[greater ? 1 : 0].numerator), 200));
		big_end();
		if (!within)
			return broken(contribution, epsilon, "by more than exp(beta)");
	}

	/* |median - median'| <= S: scale alpha / 2^21, S = scale * alpha */
	moved = (dp_uint128) (median[0] > median[1] ? median[0] - median[1]
												: median[1] - median[0]);
	for (i = 0; i < 2; i++)
	{
		/* moved * denominator * 2^21 <= numerator * alpha */
		bool reached;

		big_begin();
		reached = big_at_most(
			big_shift(big_product(big_of(moved), big_of(scale[i].denominator)),
					  21),
			big_product(big_of(scale[i].numerator), big_of(smooth.alpha)));
		big_end();
		if (!reached)
			return broken(contribution, epsilon, "below the local sensitivity");
	}
	return true;
}

/*
 * Its constants: Cauchy noise is (alpha + beta)-DP; Laplace noise of e = alpha =
 * epsilon/2 needs, beside e for the scale, both
 *
 *		delta >= exp(-z) (1 - exp(-beta)), z = (e + beta)/(exp(beta) - 1),
 *		delta >= 1 - exp(-y) - exp(e) (1 - exp(-y exp(-beta))),
 *			y = (beta - e)/(1 - exp(-beta)), if beta > e,
 *
 * here enclosed with 300 bits, for a unit of one row in one answer.
 */
#define SMOOTH_BITS 300

static bool
smooth_constants_are_safe(uint64_t *state)
{
	DpContribution contribution = dp_contribution_of_row(DP_ADD_REMOVE);
	DpMechanismChoice choice = {.mechanism = random_next_below(state, 2)
												 ? DP_SMOOTH_CAUCHY
												 : DP_SMOOTH_LAPLACE};
	DpEpsilon epsilon = {fuzz_number(state, 3, 64 * DP_EPSILON_ONE)};
	DpSmooth smooth;
	const char *what = NULL;
	Big *one;
	Big *delta;
	Big *e;
	Big *beta;
	Big *b[2]; /* exp(-beta) */
	Big *x[2];

	if (random_next_below(state, 2))
		choice.constants = DP_CONSTANTS_NRS;
	choice.delta = ldexp(0.5 + random_next_double(state) / 2,
						 -(int) random_next_below(state, 60));
	if (dp_smooth_init(&smooth, &choice, epsilon, 1, contribution) != DP_OK)
		return broken(contribution, epsilon, "refused");

	/* both in units of 2^-21 */
	if (choice.mechanism == DP_SMOOTH_CAUCHY || smooth.beta == 0)
		return smooth.alpha + smooth.beta <= 2 * epsilon.ticks ||
			   broken(contribution, epsilon, "more than epsilon");
	if (smooth.alpha > epsilon.ticks)
		return broken(contribution, epsilon, "more than half of epsilon");

	big_begin();
	one = big_shift(big_of(1), SMOOTH_BITS);
	delta = big_of_double(choice.delta, SMOOTH_BITS);
	e = big_of(epsilon.ticks);
	beta = big_of(smooth.beta);
	big_exp(beta, big_of(DP_SMOOTH_ONE), SMOOTH_BITS, &b[0], &b[1]);

	/* z = (e + beta) b / (1 - b), at the least */
	big_exp(big_product(big_sum(e, beta), b[0]),
			big_product(big_of(DP_SMOOTH_ONE), big_difference(one, b[0])),
			SMOOTH_BITS, &x[0], &x[1]);
	if (!big_at_most(big_product(x[1], big_difference(one, b[0])),
					 big_product(delta, one)))
		what = "a wider scale needs more than delta";
	if (smooth.beta > epsilon.ticks)
	{
		/*
		 * 1 - exp(-y) - exp(e) (1 - exp(-y b)) <= delta, multiplied by exp(-e):
		 * y is taken from one enclosure of b for both exponents, each rounded
		 * to the safe side.
		 */
		Big *n = big_difference(beta, e);
		Big *inverse[2];
		Big *y[2];
		Big *shrunk[2];

		big_exp(e, big_of(DP_SMOOTH_ONE), SMOOTH_BITS, &inverse[0],
				&inverse[1]);
		/* the least exp(-y): the greatest y, with the upper b */
		big_exp(big_product(n, one),
				big_product(big_of(DP_SMOOTH_ONE), big_difference(one, b[1])),
				SMOOTH_BITS, &y[0], &y[1]);
		/* the greatest exp(-y b): y and b at the least */
		big_exp(big_product(n, b[0]),
				big_product(big_of(DP_SMOOTH_ONE), big_difference(one, b[0])),
				SMOOTH_BITS, &shrunk[0], &shrunk[1]);
		/* exp(-e) (1 - exp(-y)) - (1 - exp(-y b)) <= delta exp(-e) */
		if (!big_at_most(big_difference(
							 big_product(inverse[1], big_difference(one, y[0])),
							 big_product(one, big_difference(one, shrunk[1]))),
						 big_product(delta, inverse[0])))
			what = "a narrower scale needs more than delta";
	}
	big_end();
	return what == NULL || broken(contribution, epsilon, what);
}

/*
 * A selection: weights exp(-e d / c), e the part of epsilon of an answer, half
 * of it where a unit may be exchanged (selection.h): units/denominator is at
 * most that.
 */
static bool
selection_has_its_share(uint64_t *state)
{
	static const DpMechanism kinds[] = {DP_AUTO, DP_PERMUTE_AND_FLIP,
										DP_EXPONENTIAL, DP_ABSTRACT_STAIRCASE};
	DpContribution contribution = random_contribution(state);
	DpEpsilon epsilon = random_epsilon(state);
	DpMechanismChoice choice = {.mechanism = kinds[random_next_below(state, 4)],
								.rank = -1};
	TestRandom source;
	DpRandom *random = random_odd(state, &source);
	int64_t counts[VALUES_MAX];
	uint32_t order[VALUES_MAX];
	size_t number = 1 + random_next_below(state, VALUES_MAX);
	size_t place = number;
	DpSelection selection;
	DpStatus status;
	dp_uint128 divisor = parts_of(contribution);
	bool right;
	size_t i;

	if (random_next_below(state, 2))
		choice.gamma = random_next_double(state);
	status = dp_selection_init(&selection, &choice, epsilon, contribution);
	if (status != DP_OK)
		return (status == DP_EPSILON_OUT_OF_RANGE && epsilon.ticks < divisor) ||
			   broken(contribution, epsilon, "refused");
	divisor *= is_exchanged(contribution) ? 2 : 1;
	if (selection.mechanism != DP_ABSTRACT_STAIRCASE)
		divisor *= contribution.rows;
	else if (selection.first_step < 1 ||
			 selection.first_step > contribution.rows)
		return broken(contribution, epsilon, "not the first step");

	/* units / denominator <= (epsilon / 2^20) / divisor */
	big_begin();
	right = big_ratio_at_most(
		big_of(selection.ticks), big_of(selection.denominator),
		big_of(epsilon.ticks), big_shift(big_of(divisor), DP_EPSILON_BITS));
	big_end();
	if (!right)
		return broken(contribution, epsilon, "more than epsilon");

	/* Few are far below, so that no coin is tossed for ever. */
	for (i = 0; i < number; i++)
		counts[i] = (int64_t) fuzz_number(state, 0, INT64_MAX);
	if (dp_selection_draw(random, &selection, counts, number, order, &place) !=
			DP_OK ||
		place >= number)
		return broken(contribution, epsilon, "no candidate");
	return true;
}

/*
 * Maxima: sparse vector with monotone counts needs scale 2/share on threshold and
 * counts, 4/share where rows are exchanged (Lyu, Su, Li 2017); additive noise
 * the span; ranks their part.
 */
static bool
extremes_have_their_share(uint64_t *state)
{
	static const DpMechanism kinds[] = {
		DP_AUTO,	  DP_ABOVE_THRESHOLD, DP_EXPONENTIAL, DP_TWO_STAGE,
		DP_GEOMETRIC, DP_STAIRCASE,		  DP_GAUSSIAN};
	DpContribution contribution = random_contribution(state);
	DpEpsilon epsilon = random_epsilon(state);
	int64_t lower = random_lower(state);
	uint64_t span = fuzz_number(state, 0, SPAN_MAX);
	DpGrid grid = {.lower = lower, .upper = lower + (int64_t) span};
	DpMechanismChoice choice = {
		.mechanism = kinds[random_next_below(state, 7)],
		.rank = -1,
		.levels = (double) fuzz_number(state, 2, DP_LEVELS_MAX)};
	TestRandom source;
	DpRandom *random = random_odd(state, &source);
	dp_uint128 parts = parts_of(contribution);
	int64_t values[VALUES_MAX];
	size_t count = random_values(state, lower, span, VALUES_MAX, values);
	int64_t result;
	DpExtreme extreme;
	const DpNoise *noise = &extreme.noise;
	DpStatus status;
	bool right = true;

	if (random_next_below(state, 4) == 0)
		choice.rank = (double) fuzz_number(state, 0, 1000000000);
	if (choice.mechanism == DP_GAUSSIAN)
		choice.delta = 1e-9;
	status = dp_extreme_init(&extreme, &choice, epsilon, &grid, contribution);
	if (status != DP_OK)
		return status == DP_EPSILON_OUT_OF_RANGE ||
			   status == DP_SENSITIVITY_OUT_OF_RANGE ||
			   choice.mechanism == DP_GAUSSIAN ||
			   broken(contribution, epsilon, "refused");
	big_begin();
	switch (extreme.mechanism)
	{
		case DP_ABOVE_THRESHOLD:
			/* s/t <= epsilon / (2 parts), or / (4 parts) */
			right =
				span == 0 ||
				big_ratio_at_most(
					big_of(noise->s), big_of(noise->t), big_of(epsilon.ticks),
					big_shift(
						big_of(parts * (is_exchanged(contribution) ? 4 : 2)),
						DP_EPSILON_BITS));
			break;
		case DP_EXPONENTIAL:
			right = extreme.ranks.epsilon.ticks * parts <= epsilon.ticks &&
					extreme.ranks.sensitivity == DP_RANK_ONE;
			break;
		case DP_TWO_STAGE:
			right = big_ratio_at_most(
				big_of(extreme.two_stage.noise.s),
				big_of(extreme.two_stage.noise.t), big_of(epsilon.ticks),
				big_shift(big_of(parts * (dp_uint128) (choice.levels - 1)),
						  DP_EPSILON_BITS));
			break;
		case DP_GEOMETRIC:
			right =
				span == 0 ||
				big_ratio_at_most(
					big_of(noise->s), big_of(noise->t), big_of(epsilon.ticks),
					big_shift(big_of(parts * span), DP_EPSILON_BITS));
			break;
		case DP_STAIRCASE:
			right =
				span == 0 || (noise->sensitivity == span &&
							  noise->epsilon.ticks * parts <= epsilon.ticks);
			break;
		default:
			right = span == 0 || noise->sensitivity >= span;
	}
	big_end();
	if (!right || extreme.limit < 1)
		return broken(contribution, epsilon, "more than epsilon");
	if (dp_extreme_draw(random, &extreme, values, count, lower,
						lower + (int64_t) span, &result) != DP_OK ||
		result < lower || result > lower + (int64_t) span)
		return broken(contribution, epsilon, "a maximum beyond the bounds");
	return true;
}

/* Whatever the grid and the values, quantiles and medians are in range. */
static bool
quantiles_are_in_range(uint64_t *state)
{
	DpContribution contribution = random_contribution(state);
	DpEpsilon epsilon = random_epsilon(state);
	int64_t lower = random_lower(state);
	uint64_t span = fuzz_number(state, 0, SPAN_MAX);
	int64_t upper = lower + (int64_t) span;
	DpGrid grid = {.lower = lower, .upper = upper};
	static union
	{
		DpQuantiles quantiles;
		char room[sizeof(DpQuantiles) + DP_QUANTILES_MAX * sizeof(DpQuantile)];
	} u;
	double fractions[3];
	int64_t results[3];
	int64_t values[VALUES_MAX];
	size_t count = random_values(state, lower, span, VALUES_MAX, values);
	TestRandom source;
	DpRandom *random = random_odd(state, &source);
	DpMechanismChoice choice = {.mechanism = random_next_below(state, 2)
												 ? DP_SMOOTH_CAUCHY
												 : DP_SMOOTH_LAPLACE,
								.delta = 1e-6};
	DpMedian median;
	int i;

	if (random_next_below(state, 2))
		contribution = dp_contribution_of_row(contribution.neighbours);
	for (i = 0; i < 3; i++)
		fractions[i] = random_next_double(state);
	if (random_next_below(state, 2))
	{
		if (dp_quantiles_init(&u.quantiles, fractions, 3, epsilon,
							  contribution) != DP_OK)
			return true;
		if (dp_quantiles_draw(random, &u.quantiles, values, count, lower, upper,
							  results) != DP_OK)
			return broken(contribution, epsilon, "no quantiles");
		for (i = 0; i < 3; i++)
		{
			int j;

			for (j = 0; j < 3; j++)
			{
				if (fractions[i] < fractions[j] && results[i] > results[j])
					return broken(contribution, epsilon, "not in order");
			}
			if (results[i] < lower || results[i] > upper)
				return broken(contribution, epsilon, "beyond the bounds");
		}
		return true;
	}
	if (dp_median_init(&median, &choice, epsilon, &grid, contribution) != DP_OK)
		return true;
	if (median.smooth.beta > 0 && median.smooth.beta < 65536)
		return true; /* a long lattice */
	return (dp_median_draw(random, &median, values, count, lower, upper,
						   results) == DP_OK &&
			results[0] >= lower && results[0] <= upper) ||
		   broken(contribution, epsilon, "a median beyond the bounds");
}

/*
 * Bounds: c rows move counts by c in all, an exchange by 2 c; a threshold that
 * counts of 62 bits can reach; values are in their bin.
 */
static bool
bounds_are_covered(uint64_t *state)
{
	static const DpBins kinds[] = {{0, 15}, {0, 31}, {0, 63}, {-64, 127}};
	DpContribution contribution = random_contribution(state);
	DpEpsilon epsilon = random_epsilon(state);
	DpBins bins = kinds[random_next_below(state, 4)];
	TestRandom source;
	DpRandom *random = random_odd(state, &source);
	int64_t counts[DP_BINS_MAX];
	uint32_t number = dp_bins_number(bins);
	uint32_t first;
	uint32_t last;
	uint32_t bin;
	uint32_t i;
	double value = ldexp(random_next_double(state) - 0.5,
						 (int) random_next_below(state, 300) - 150);
	DpBounds bounds;
	DpStatus status = dp_bounds_init(&bounds, bins, epsilon, contribution);
	DpEdge lower;
	DpEdge upper;

	bin = dp_bin_of_double(bins, value);
	lower = dp_bin_lower(bins, bin);
	upper = dp_bin_upper(bins, bin);
	if (bin >= number ||
		(bin > 0 && value < ldexp(lower.sign, lower.exponent)) ||
		(bin < number - 1 && value > ldexp(upper.sign, upper.exponent)))
		return broken(contribution, epsilon, "not its bin");
	if (status != DP_OK)
		return status == DP_EPSILON_OUT_OF_RANGE ||
			   broken(contribution, epsilon, "refused");
	if (bounds.noise.epsilon.ticks > epsilon.ticks ||
		bounds.noise.sensitivity < parts_of(contribution) * contribution.rows *
									   (is_exchanged(contribution) ? 2 : 1))
		return broken(contribution, epsilon, "less than the counts move");
	if (bounds.threshold < 1 || bounds.threshold > (int64_t) 1 << 62)
		return broken(contribution, epsilon, "not a threshold");
	for (i = 0; i < number; i++)
		counts[i] = (int64_t) fuzz_number(state, 0, INT64_MAX);
	return (dp_bounds_draw(random, &bounds, counts, &first, &last) == DP_OK &&
			(first > last || last < number)) ||
		   broken(contribution, epsilon, "no bins");
}

int
main(void)
{
	static const FuzzProperty properties[] = {
		{"a quantile has its share, and its weights", quantile_has_its_share},
		{"scores move by their sensitivity", scores_move_by_their_sensitivity},
		{"several quantiles share epsilon", quantiles_have_their_shares},
		{"smooth sensitivities are smooth", sensitivities_are_smooth},
		{"their constants are safe", smooth_constants_are_safe},
		{"a selection has its share", selection_has_its_share},
		{"maxima have their share", extremes_have_their_share},
		{"quantiles and medians are in range", quantiles_are_in_range},
		{"bounds are covered", bounds_are_covered},
	};

	return fuzz_run(properties, sizeof(properties) / sizeof(properties[0]));
}
