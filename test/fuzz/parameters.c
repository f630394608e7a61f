/*
 * parameters.c
 *		What mechanisms prepare from any parameters, against exact arithmetic.
 *
 * Sensitivities, groups, rows of a unit, epsilons, deltas and quanta over their
 * whole ranges and at the ends of them. What is prepared must have at least the
 * noise that the promise needs and exactly the noise that it says it has, or be
 * refused; nothing may overflow, which the sanitizers watch. All comparisons are
 * of integers of any size (support/big.h).
 */
#include <math.h>

#include "mechanisms/group_threshold.h"
#include "mechanisms/noise_step.h"
#include "samplers/discrete_gaussian.h"
#include "support/big.h"
#include "support/fuzz.h"

#define EPSILON_MAX ((uint64_t) 1000000 << DP_EPSILON_BITS)

/* Of enclosures here; those of the thresholds have 256. */
#define BITS 400

/* What a noise is prepared from. */
typedef struct Parameters
{
	DpMechanismChoice choice;
	DpEpsilon epsilon;
	uint64_t sensitivity;
	DpContribution contribution;
} Parameters;

static DpContribution
random_contribution(uint64_t *state)
{
	DpContribution contribution = {
		random_next_below(state, 2) ? DP_ADD_REMOVE : DP_SUBSTITUTE,
		(uint32_t) fuzz_number(state, 1, 2147483647), 0};

	if (random_next_below(state, 4) > 0)
		contribution.groups = (uint32_t) fuzz_number(state, 1, 2147483647);
	return contribution;
}

static Parameters
random_parameters(uint64_t *state, DpMechanism mechanism)
{
	Parameters p = {.choice = {.mechanism = mechanism}};

	p.epsilon.ticks = fuzz_number(state, 1, EPSILON_MAX);
	p.sensitivity = fuzz_number(state, 1, DP_SENSITIVITY_MAX);
	p.contribution = random_contribution(state);
	return p;
}

static DpMechanism
random_laplace(uint64_t *state)
{
	return random_next_below(state, 2) ? DP_LAPLACE : DP_GEOMETRIC;
}

/* Between 2^-1074 and the greatest double below 1. */
static double
random_delta(uint64_t *state)
{
	double delta = random_next_double(state);

	switch (random_next_below(state, 4))
	{
		case 0:
			return delta;
		case 1:
			return fmin(1 - ldexp(delta, -(int) random_next_below(state, 53)),
						1 - 0x1p-53);
		default:
			delta = ldexp(delta, -(int) random_next_below(state, 1074));
			return fmax(delta, 0x1p-1074);
	}
}

static DpStatus
prepare(const Parameters *p, DpNoise *noise)
{
	return dp_noise_init_groups(noise, &p->choice, p->epsilon, p->sensitivity,
								p->contribution);
}

static bool
broken(const Parameters *p, const DpNoise *noise, DpStatus status,
	   const char *what)
{
	diag(
		"%s: mechanism %d, epsilon %llu/2^20, sensitivity %llu, quantum %.17g, "
		"delta %.17g, %s, %u rows, %u groups: status %d, s %llu, t %llu, "
		"sigma %.17g, epsilon %llu/2^20 for sensitivity %.17g",
		what, (int) p->choice.mechanism, (unsigned long long) p->epsilon.ticks,
		(unsigned long long) p->sensitivity, p->choice.quantum, p->choice.delta,
		p->contribution.neighbours == DP_SUBSTITUTE ? "substitute"
													: "add_remove",
		p->contribution.rows, p->contribution.groups, (int) status,
		(unsigned long long) noise->s, (unsigned long long) noise->t,
		dp_sigma_to_double(noise->sigma),
		(unsigned long long) noise->epsilon.ticks, (double) noise->sensitivity);
	return false;
}

/*
 * Answers that differ by one unit, at most: m, or 2 m where it may be exchanged
 * for another that is in m other groups; without groups the one.
 */
static uint64_t
parts_of(DpContribution contribution)
{
	uint64_t parts = contribution.groups;

	if (parts == 0)
		return 1;
	return contribution.neighbours == DP_SUBSTITUTE ? 2 * parts : parts;
}

/* ceil(D/q) of all parts: what two neighbouring answers are apart, in quanta. */
static dp_uint128
quanta_of(const Parameters *p)
{
	uint64_t quantum =
		p->choice.quantum == 0 ? 1 : (uint64_t) p->choice.quantum;

	return (dp_uint128) ((p->sensitivity + quantum - 1) / quantum) *
		   parts_of(p->contribution);
}

/*
 * Geometric noise of ratio exp(-s/t) on answers that are Q quanta apart in L1 is
 * (Q s/t)-DP (Ghosh, Roughgarden, Sundararajan 2009; quanta: Chen, Pal,
 * Golubchik (9)). So Q s/t <= epsilon, with equality where Q is at most 2^42 and
 * with more than half of epsilon always; what the noise says of itself is its
 * law: s/t = its epsilon / ceil(its sensitivity / quantum), its epsilon not
 * above the one asked for, its sensitivity not below the true one. Refused is
 * only what would not leave one part in 2^62 of a quantum.
 */
static bool
laplace_has_the_scale(uint64_t *state)
{
	Parameters p = random_parameters(state, random_laplace(state));
	DpNoise noise = {0};
	DpStatus status;
	dp_uint128 quanta;
	dp_uint128 stated;
	Big *per_quantum; /* 2^20 Q s against units t */
	Big *asked;
	const char *what = NULL;

	if (random_next_below(state, 3) == 0)
		p.choice.quantum = (double) fuzz_number(state, 1, DP_SENSITIVITY_MAX);
	quanta = quanta_of(&p);
	status = prepare(&p, &noise);
	if (status != DP_OK)
	{
		if (status != DP_EPSILON_OUT_OF_RANGE ||
			(dp_uint128) p.epsilon.ticks << 42 >= 2 * quanta)
			return broken(&p, &noise, status, "refused");
		return true;
	}
	big_begin();
	per_quantum = big_product(big_shift(big_of(quanta), DP_EPSILON_BITS),
							  big_of(noise.s));
	asked = big_product(big_of(p.epsilon.ticks), big_of(noise.t));
	if (!big_at_most(per_quantum, asked))
		what = "more than epsilon";
	else if (big_at_most(big_shift(per_quantum, 1), asked))
		what = "less than half of epsilon";
	else if (quanta <= DP_SENSITIVITY_MAX &&
			 big_compare(per_quantum, asked) != 0)
		what = "not all of epsilon";
	stated = (noise.sensitivity + noise.quantum - 1) / noise.quantum;
	if (noise.epsilon.ticks > p.epsilon.ticks || stated < quanta ||
		big_compare(
			big_product(big_shift(big_of(stated), DP_EPSILON_BITS),
						big_of(noise.s)),
			big_product(big_of(noise.epsilon.ticks), big_of(noise.t))) != 0)
		what = "not what it says";
	if (noise.s < 1 || noise.t < 1 || noise.s > (uint64_t) 1 << 62 ||
		noise.t > (uint64_t) 1 << 62)
		what = "outside of what is drawn";
	big_end();
	return what == NULL || broken(&p, &noise, status, what);
}

/* A quantum that is no whole number of steps, or too many, is refused. */
static bool
quanta_are_whole(uint64_t *state)
{
	Parameters p = random_parameters(state, random_laplace(state));
	DpNoise noise = {0};
	DpStatus status;

	switch (random_next_below(state, 4))
	{
		case 0:
			p.choice.quantum = ldexp(random_next_double(state),
									 (int) random_next_below(state, 42));
			if (p.choice.quantum >= 1 &&
				p.choice.quantum == rint(p.choice.quantum))
				return true;
			break;
		case 1:
			p.choice.quantum = ldexp(1 + random_next_double(state),
									 42 + (int) random_next_below(state, 981));
			break;
		case 2:
			p.choice.quantum = -(double) fuzz_number(state, 1, UINT64_MAX);
			break;
		default:
			p.choice.quantum = random_next_below(state, 2) ? NAN : INFINITY;
	}
	status = prepare(&p, &noise);
	return status == DP_PARAMETER_OUT_OF_RANGE ||
		   broken(&p, &noise, status, "no whole number");
}

/*
 * A staircase is epsilon-DP for a change by D at most, whatever r (Geng and
 * Viswanath), and in several groups each has its part: parts * share <= epsilon
 * < parts * (share + 1). Its first coin is the mass of |i| < r before zero is
 * halved, p = r (1-b) / (r (1-b) + D b), b = exp(-share).
 */
static bool
staircase_has_its_share(uint64_t *state)
{
	Parameters p = random_parameters(state, random_next_below(state, 2)
												? DP_STAIRCASE
												: DP_DISCRETE_STAIRCASE);
	uint64_t parts = parts_of(p.contribution);
	DpNoise noise = {0};
	const DpStaircase *s = &noise.staircase;
	DpStatus status;
	const char *what = NULL;
	Big *lower;
	Big *upper;
	Big *one;
	Big *coin[2];
	int end;

	switch (random_next_below(state, 4))
	{
		case 0:
			p.choice.gamma = random_next_double(state);
			break;
		case 1:
			p.choice.cost = DP_COST_SQUARED;
			break;
		case 2:
			p.choice.first_step = (double) fuzz_number(
				state, 1, fuzz_number(state, 1, (uint64_t) 1 << 43));
			break;
		default:
			break;
	}
	status = prepare(&p, &noise);
	if (p.epsilon.ticks < parts)
		return status == DP_EPSILON_OUT_OF_RANGE ||
			   broken(&p, &noise, status, "no share");
	if (p.choice.first_step > (double) p.sensitivity)
		return status == DP_PARAMETER_OUT_OF_RANGE ||
			   broken(&p, &noise, status, "a step wider than D");
	if (status != DP_OK)
		return broken(&p, &noise, status, "refused");
	if (s->sensitivity != p.sensitivity || noise.sensitivity != p.sensitivity)
		return broken(&p, &noise, status, "not the sensitivity");
	if (s->epsilon.ticks != p.epsilon.ticks / parts ||
		noise.epsilon.ticks != s->epsilon.ticks)
		return broken(&p, &noise, status, "not the share");
	if (s->first_step < 1 || s->first_step > p.sensitivity)
		return broken(&p, &noise, status, "not the first step");

	big_begin();
	one = big_shift(big_of(1), BITS);
	big_exp(big_of(s->epsilon.ticks), big_of(DP_EPSILON_ONE), BITS, &lower,
			&upper);
	coin[0] = big_of((dp_uint128) s->first_coin.lower[1] << 64 |
					 s->first_coin.lower[0]);
	coin[1] = big_of((dp_uint128) s->first_coin.upper[1] << 64 |
					 s->first_coin.upper[0]);
	for (end = 0; end < 2; end++)
	{
		/* p falls in b: the least p with the upper b. */
		Big *b = end == 0 ? upper : lower;
		Big *inside =
			big_product(big_difference(one, b), big_of(s->first_step));
		Big *all = big_sum(inside, big_product(b, big_of(s->sensitivity)));
		Big *mass = big_shift(inside, 128);
		Big *drawn = big_product(coin[end], all);

		/* and within a few units of it */
		if (end == 0
				? !big_at_most(drawn, mass) ||
					  !big_at_most(
						  mass, big_product(big_sum(coin[0], big_of(4)), all))
				: !s->first_coin.upper_is_one &&
					  (!big_at_most(mass, drawn) ||
					   !big_at_most(
						   drawn, big_sum(mass, big_product(all, big_of(4))))))
			what = "not the coin";
	}
	big_end();
	return what == NULL || broken(&p, &noise, status, what);
}

/*
 * Levels of the staircase: any two places at most D apart are at most one level
 * apart, so that its law changes by exp(epsilon) at most.
 */
static bool
staircase_has_low_steps(uint64_t *state)
{
	uint64_t d = fuzz_number(state, 1, DP_SENSITIVITY_MAX);
	uint64_t r = fuzz_number(state, 1, d);
	dp_int128 i = (dp_int128) fuzz_wide_number(state, 0, (dp_uint128) 1 << 80);
	dp_int128 j = i - (dp_int128) fuzz_number(state, 0, d);
	dp_uint128 above = dp_int128_abs(i);
	dp_uint128 below = dp_int128_abs(j);
	dp_uint128 high = above / d + (above % d >= r);
	dp_uint128 low = below / d + (below % d >= r);

	return high <= low + 1 && low <= high + 1;
}

/* Mills' ratio of the normal distribution, in long doubles. */
static long double
mills(long double z)
{
	long double fraction = 0;
	int k;

	if (z < 8)
		return sqrtl(acosl(-1) / 2) * expl(z * z / 2) * erfcl(z / sqrtl(2));
	for (k = 80; k >= 1; k--)
		fraction = k / (z + fraction);
	return 1 / (z + fraction);
}

/*
 * What a discrete Gaussian law of that variance and the same law moved by so much
 * are apart at exp(epsilon): by its terms, or where it is wide by the continuous
 * one.
 */
static long double
delta_of(long double variance, long double moved, long double epsilon)
{
	long double s = sqrtl(variance);
	long double z = epsilon * s / moved - moved / (2 * s);
	long double sum = 0;
	long double total = 0;
	long double part = 1;
	long double y;

	if (s > 3000 && fabsl(z) * (fabsl(z) + moved / s) < 1e-7L * s * s &&
		moved < 1e-7L * s * s * s)
		return expl(-z * z / 2) / sqrtl(2 * acosl(-1)) *
			   (mills(z) - mills(z + moved / s));
	if (s > 3000) /* equal but for a factor of 1 + 2 exp(-2 pi^2 s^2) */
		total = s * sqrtl(2 * acosl(-1));
	else
		for (y = -ceill(80 * s) - 1; y <= 80 * s + 1; y++)
			total += expl(-y * y / (2 * variance));
	for (y = floorl(z * s) - 1; y <= z * s + 80 * s + 2 &&
								(y < 0 || y < z * s + 2 || part > 1e-15L * sum);
		 y++)
	{
		part = fmaxl(
			0, expl(-y * y / (2 * variance)) -
				   expl(epsilon - (y + moved) * (y + moved) / (2 * variance)));
		sum += part;
	}
	return sum / total;
}

/*
 * Gaussian noise: answers in m groups, each at most D apart, are at most D
 * sqrt(m) apart in L2 (an exchange: 2 D sqrt(m)). What m such answers, each of
 * them moved by D, give away is that of one with m times the variance, moved by
 * m D (but for a factor next to 1 where sigma is not small); it is at most delta.
 * After an exchange it is at most that of one number moved by the distance.
 */
static bool
gaussian_has_the_sigma(uint64_t *state)
{
	Parameters p = random_parameters(state, DP_GAUSSIAN);
	dp_uint128 square;
	DpNoise noise = {0};
	DpStatus status;
	long double sigma;
	long double epsilon = p.epsilon.ticks / (long double) DP_EPSILON_ONE;
	long double found;
	uint64_t numbers = p.contribution.groups > 0 ? p.contribution.groups : 1;

	p.choice.delta = random_delta(state);
	square = (dp_uint128) p.sensitivity * p.sensitivity;
	if (p.contribution.groups > 0)
		square *= (dp_uint128) p.contribution.groups *
				  (p.contribution.neighbours == DP_SUBSTITUTE ? 4 : 1);
	status = prepare(&p, &noise);
	if (status != DP_OK)
	{
		/* Too far apart, or a sigma above 2^61. */
		if (status == DP_SENSITIVITY_OUT_OF_RANGE &&
			square > (dp_uint128) DP_SENSITIVITY_MAX * DP_SENSITIVITY_MAX)
			return true;
		if (status == DP_PARAMETER_OUT_OF_RANGE &&
			sqrt((double) square) * 60 / dp_epsilon_to_double(p.epsilon) >
				0x1p60)
			return true;
		return broken(&p, &noise, status, "refused");
	}
	if (noise.sensitivity > DP_SENSITIVITY_MAX ||
		noise.sensitivity * noise.sensitivity < square ||
		(noise.sensitivity - 1) * (noise.sensitivity - 1) >= square)
		return broken(&p, &noise, status, "not the L2 sensitivity");
	if (noise.sigma.numerator < 1 || noise.sigma.numerator > DP_SIGMA_MAX ||
		noise.sigma.denominator < 1 || noise.sigma.denominator > DP_SIGMA_MAX)
		return broken(&p, &noise, status, "outside of what is drawn");
	sigma = noise.sigma.numerator / (long double) noise.sigma.denominator;
	if (p.contribution.groups > 0 && p.contribution.neighbours == DP_SUBSTITUTE)
		found =
			delta_of(sigma * sigma, 2 * (long double) p.sensitivity, epsilon);
	else
		found = delta_of(sigma * sigma * numbers,
						 (long double) p.sensitivity * numbers, epsilon);

	/* Long doubles lose what two nearly equal Mills' ratios have in common. */
	if (found > p.choice.delta * (1 + 1e-6L) + 0x1p-1040L)
	{
		diag("delta %.17Lg", found);
		return broken(&p, &noise, status, "more than delta");
	}
	return true;
}

/*
 * Thresholds of private keys (group_threshold.h): where a unit counts at most c
 * in each of g groups that it is alone in, these are shown with probability
 * g P(X >= k) = g a^k / (1 + a) in all, a = exp(-s/t), t = c + k. That is at
 * most delta; with k - 1 it is more, or k is 1; and refused is only what would
 * be above 2^62.
 */
static bool
threshold_hides(uint64_t *state)
{
	Parameters p = random_parameters(state, random_laplace(state));
	DpNoise noise = {0};
	dp_int128 delta = (dp_int128) fuzz_wide_number(state, 1, DP_DELTA_ONE);
	DpStatus status;
	int64_t threshold = 0;
	uint64_t greatest = p.contribution.rows;
	uint64_t k;
	const char *what = NULL;
	Big *a[2];
	Big *more[2];
	Big *shown;
	Big *one;

	if (p.contribution.groups == 0)
		p.contribution.groups = 1;
	p.sensitivity = random_next_below(state, 4) == 0
						? fuzz_number(state, 1, DP_SENSITIVITY_MAX)
						: greatest;
	status = prepare(&p, &noise);
	if (status != DP_OK)
		return true;
	status =
		dp_group_threshold(&noise, greatest, delta, p.contribution, &threshold);
	if (status != DP_OK && status != DP_PARAMETER_OUT_OF_RANGE)
		return broken(&p, &noise, status, "no threshold");
	k = status == DP_OK ? (uint64_t) threshold - greatest
						: ((uint64_t) 1 << 62) - greatest + 1;
	if (k < 1 || (status == DP_OK && threshold > (int64_t) 1 << 62))
		return broken(&p, &noise, status, "out of range");

	big_begin();
	one = big_shift(big_of(1), BITS);
	shown = big_product(big_of((dp_uint128) DP_DELTA_ONE),
						big_of(p.contribution.groups));
	big_exp(big_of(noise.s), big_of(noise.t), BITS, &a[0], &a[1]);
	if (status == DP_OK)
	{
		big_exp(big_of((dp_uint128) k * noise.s), big_of(noise.t), BITS,
				&more[0], &more[1]);
		if (!big_at_most(
				big_product(shown, more[1]),
				big_product(big_of((dp_uint128) delta), big_sum(one, a[0]))))
			what = "more than delta";
	}
	if (k > 1)
	{
		big_exp(big_of((dp_uint128) (k - 1) * noise.s), big_of(noise.t), BITS,
				&more[0], &more[1]);
		if (big_at_most(
				big_product(shown, more[1]),
				big_product(big_of((dp_uint128) delta), big_sum(one, a[0]))))
			what = "not the least";
	}
	big_end();
	if (what != NULL)
		diag("%.17g of 10^24, threshold %lld", (double) delta,
			 (long long) threshold);
	return what == NULL || broken(&p, &noise, status, what);
}

/*
 * Steps of a chain: those between the noises of one question at two levels
 * are exactly from the law of the one to that of the other (x = low/t and
 * y = high/t of samplers/chain_step.h), for any sensitivity and groups.
 */
static bool
steps_lead_from_level_to_level(uint64_t *state)
{
	Parameters p = random_parameters(state, random_laplace(state));
	Parameters q = p;
	DpNoise above = {0};
	DpNoise below = {0};
	DpNoiseStep step = {0};
	DpStatus status;
	const char *what = NULL;

	q.epsilon.ticks = fuzz_number(state, 1, p.epsilon.ticks);
	if (prepare(&p, &above) != DP_OK || prepare(&q, &below) != DP_OK)
		return true;
	status = dp_noise_step_init(&step, &above, &below);
	if (status != DP_OK)
		return broken(&p, &above, status, "no step") ||
			   broken(&q, &below, status, "no step");
	big_begin();
	if (step.low < 1 || step.low > step.high || step.t < 1 ||
		step.high > (uint64_t) 1 << 62 || step.t > (uint64_t) 1 << 62)
		what = "outside of what is drawn";
	else if (!big_ratio_equal(big_of(step.low), big_of(step.t), big_of(below.s),
							  big_of(below.t)))
		what = "not the lower level";
	else if (!big_ratio_equal(big_of(step.high), big_of(step.t),
							  big_of(above.s), big_of(above.t)))
		what = "not the higher level";
	big_end();
	if (what == NULL)
		return true;
	broken(&p, &above, status, what);
	return broken(&q, &below, status, what);
}

/* Between any two noises: such a step, or none. */
static bool
steps_are_exact_or_none(uint64_t *state)
{
	Parameters p = random_parameters(state, random_laplace(state));
	Parameters q = random_parameters(state, random_laplace(state));
	DpNoise above = {0};
	DpNoise below = {0};
	DpNoiseStep step = {0};
	bool exact;

	if (prepare(&p, &above) != DP_OK || prepare(&q, &below) != DP_OK ||
		dp_noise_step_init(&step, &above, &below) != DP_OK)
		return true;
	big_begin();
	exact = step.low <= step.high &&
			big_ratio_equal(big_of(step.low), big_of(step.t), big_of(below.s),
							big_of(below.t)) &&
			big_ratio_equal(big_of(step.high), big_of(step.t), big_of(above.s),
							big_of(above.t));
	big_end();
	if (exact)
		return true;
	broken(&p, &above, DP_OK, "not a step from here");
	return broken(&q, &below, DP_OK, "to here");
}

/* epsilon is rounded down, by less than 2^-20. */
static bool
epsilon_is_rounded_down(uint64_t *state)
{
	double value = ldexp(1 + random_next_double(state),
						 (int) random_next_below(state, 44) - 22);
	DpEpsilon epsilon = {0};
	DpStatus status;

	if (random_next_below(state, 4) == 0)
		value = ldexp((double) fuzz_number(state, 1, EPSILON_MAX),
					  -DP_EPSILON_BITS);
	status = dp_epsilon_from_double(value, &epsilon);
	if (value < DP_EPSILON_MIN || value > DP_EPSILON_MAX)
		return status == DP_EPSILON_OUT_OF_RANGE;

	/* Both products are exact. */
	if (status == DP_OK && epsilon.ticks >= 1 &&
		ldexp((double) epsilon.ticks, -DP_EPSILON_BITS) <= value &&
		ldexp((double) epsilon.ticks + 1, -DP_EPSILON_BITS) > value)
		return true;
	diag("epsilon %.17g: %llu/2^20", value, (unsigned long long) epsilon.ticks);
	return false;
}

/*
 * Draws and answers at the ends: whatever the random words and the truth, an
 * answer is a multiple of the quantum or has saturated, and nothing overflows.
 */
static bool
draws_stay_in_range(uint64_t *state)
{
	static const DpMechanism kinds[] = {DP_LAPLACE, DP_GEOMETRIC, DP_STAIRCASE,
										DP_DISCRETE_STAIRCASE, DP_GAUSSIAN};
	Parameters p = random_parameters(state, kinds[random_next_below(state, 5)]);
	TestRandom source;
	uint64_t words[DP_RANDOM_WORDS];
	size_t count = random_next_below(state, 40);
	size_t i;
	DpRandom *random;
	DpNoise noise;
	dp_int128 truth = (dp_int128) fuzz_wide_number(state, 0, DP_INT128_MAX);
	dp_int128 answer = 0;

	/* Words of a kind take loops of coins far. */
	for (i = 0; i < count; i++)
		words[i] = random_next_below(state, 3) == 0 ? random_next(state)
				   : random_next_below(state, 2)	? 0
													: UINT64_MAX;
	random = random_words_then_seeded(&source, words, count, *state);
	if (p.choice.mechanism == DP_GAUSSIAN)
		p.choice.delta = random_delta(state);
	if (p.choice.mechanism == DP_GEOMETRIC)
		p.choice.quantum = (double) fuzz_number(state, 1, DP_SENSITIVITY_MAX);
	if (random_next_below(state, 2))
		truth = -truth - 1;
	if (prepare(&p, &noise) != DP_OK)
		return true;
	if (dp_noise_add(random, &noise, truth, &answer) != DP_OK)
		return broken(&p, &noise, DP_OK, "no answer");
	return answer == DP_INT128_MAX || answer == DP_INT128_MIN ||
		   answer % (dp_int128) noise.quantum == 0 ||
		   broken(&p, &noise, DP_OK, "no multiple");
}

/* Gaussian draws of any rational sigma: within a thousand of them. */
static bool
gaussian_draws_stay_in_range(uint64_t *state)
{
	DpSigma sigma = {fuzz_number(state, 1, DP_SIGMA_MAX),
					 fuzz_number(state, 1, DP_SIGMA_MAX)};
	TestRandom source;
	DpRandom *random = random_seeded(&source, *state);
	dp_int128 value = 0;
	DpStatus status = dp_discrete_gaussian_draw(random, sigma, &value);
	bool right;

	big_begin();
	right =
		status == DP_OK &&
		big_ratio_at_most(big_of(dp_int128_abs(value)), big_of(1000),
						  big_of(sigma.numerator), big_of(sigma.denominator));
	big_end();
	if (!right)
		diag("sigma %llu/%llu: status %d, %.17g",
			 (unsigned long long) sigma.numerator,
			 (unsigned long long) sigma.denominator, (int) status,
			 (double) value);
	return right;
}

int
main(void)
{
	static const FuzzProperty properties[] = {
		{"epsilon is rounded down", epsilon_is_rounded_down},
		{"Laplace noise has the scale of all groups", laplace_has_the_scale},
		{"a quantum is a whole number of steps", quanta_are_whole},
		{"a staircase has its share of epsilon", staircase_has_its_share},
		{"a staircase has low steps", staircase_has_low_steps},
		{"Gaussian noise has its sigma", gaussian_has_the_sigma},
		{"a threshold hides who is alone, and is the least", threshold_hides},
		{"steps lead from level to level", steps_lead_from_level_to_level},
		{"steps between any noises are exact, or there is none",
		 steps_are_exact_or_none},
		{"draws and answers stay in range", draws_stay_in_range},
		{"Gaussian draws stay in range", gaussian_draws_stay_in_range},
	};

	return fuzz_run(properties, sizeof(properties) / sizeof(properties[0]));
}
