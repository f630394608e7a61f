/*
 * test_disjoint.c
 *		The cost of answers that are about other rows, against the laws of their
 *		noise, enumerated over small tables and all of their neighbours.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "accounting/disjoint.h"
#include "samplers/geometric.h"
#include "support/tap.h"

#define COUNTS 3
#define ROWS 3
#define NONE 0 /* a row that is not there; those of value 4 meet no condition */
#define VALUES 5
#define TABLES (VALUES * VALUES * VALUES)
#define REACH 14 /* of the noise that is enumerated */

static DpAmount
amount_of(const char *text)
{
	DpAmount amount = {0};

	if (!dp_amount_parse(text, false, &amount))
		abort();
	return amount;
}

static double
double_of(DpAmount amount)
{
	return (double) amount.ticks * 1e-24;
}

/* Which rows each of the counts is about: by value, a bit for each. */
typedef struct Question
{
	const char *what;
	int meets[COUNTS];
} Question;

/* epsilon of each count, in eighths */
static const uint64_t eighths[COUNTS] = {8, 4, 12};

static void
table_of(int number, int rows[ROWS])
{
	int i;

	for (i = 0; i < ROWS; i++)
	{
		rows[i] = number % VALUES;
		number /= VALUES;
	}
}

static int
count_of(const int rows[ROWS], int meets)
{
	int count = 0;
	int i;

	for (i = 0; i < ROWS; i++)
		count += rows[i] != NONE && (meets >> rows[i] & 1) != 0;
	return count;
}

/* How two tables differ: 1 by a row more or less, 2 by an exchange; 0: otherwise. */
static int
neighbours(const int one[ROWS], const int other[ROWS])
{
	int differing = 0;
	bool moved = false;
	int i;

	for (i = 0; i < ROWS; i++)
	{
		if (one[i] == other[i])
			continue;
		differing++;
		moved = one[i] == NONE || other[i] == NONE;
	}
	return differing != 1 ? 0 : moved ? 1 : 2;
}

/* The greatest log ratio of a count's law on two tables, and a Renyi divergence. */
static double
loss_of(int difference, int count)
{
	double loss = 0;
	int z;

	for (z = -REACH; z <= REACH; z++)
	{
		double p = dp_discrete_laplace_pmf(eighths[count], 8, z);
		double q = dp_discrete_laplace_pmf(eighths[count], 8, z - difference);

		loss = fmax(loss, fabs(log(p / q)));
	}
	return loss;
}

/*
 * The greatest log ratio of all the counts' joint law: of independent noise the sum
 * of the greatest, each of which some output of its own attains.
 */
static double
joint_loss(const Question *question, const int one[ROWS], const int other[ROWS])
{
	double loss = 0;
	int i;

	for (i = 0; i < COUNTS; i++)
		loss += loss_of(count_of(one, question->meets[i]) -
							count_of(other, question->meets[i]),
						i);
	return loss;
}

/* The same over all outputs of the joint law one by one, without that argument. */
static double
enumerated_loss(const Question *question, const int one[ROWS],
				const int other[ROWS])
{
	double loss = 0;
	int output[COUNTS];

	for (output[0] = -4; output[0] <= 4; output[0]++)
		for (output[1] = -4; output[1] <= 4; output[1]++)
			for (output[2] = -4; output[2] <= 4; output[2]++)
			{
				double ratio = 0;
				int i;

				for (i = 0; i < COUNTS; i++)
				{
					int meets = question->meets[i];

					ratio += log(
						dp_discrete_laplace_pmf(
							eighths[i], 8, output[i] - count_of(one, meets)) /
						dp_discrete_laplace_pmf(
							eighths[i], 8, output[i] - count_of(other, meets)));
				}
				loss = fmax(loss, fabs(ratio));
			}
	return loss;
}

/* The Renyi divergence of order alpha of the joint law. */
static double
joint_divergence(const Question *question, const int one[ROWS],
				 const int other[ROWS], double alpha)
{
	double divergence = 0;
	int i;
	int z;

	for (i = 0; i < COUNTS; i++)
	{
		int difference = count_of(one, question->meets[i]) -
						 count_of(other, question->meets[i]);
		double sum = 0;

		for (z = -400; z <= 400; z++)
		{
			double p = dp_discrete_laplace_pmf(eighths[i], 8, z);
			double q = dp_discrete_laplace_pmf(eighths[i], 8, z - difference);

			if (q > 0)
				sum += p * pow(p / q, alpha - 1);
		}
		if (sum > 0)
			divergence += log(sum) / (alpha - 1);
	}
	return divergence;
}

static void
costs_of_counts(DpPrivacyCost costs[COUNTS])
{
	static const char *const epsilons[COUNTS] = {"1", "0.5", "1.5"};
	int i;

	for (i = 0; i < COUNTS; i++)
	{
		if (dp_cost_of_pure(amount_of(epsilons[i]), amount_of("0"),
							&costs[i]) != DP_OK)
			abort();
	}
}

/* The greatest loss over all neighbours of a kind, found in both ways. */
static double
worst_loss(const Question *question, int kind)
{
	double worst = 0;
	double enumerated = 0;
	int one[ROWS];
	int other[ROWS];
	int i;
	int j;

	for (i = 0; i < TABLES; i++)
		for (j = 0; j < TABLES; j++)
		{
			table_of(i, one);
			table_of(j, other);
			if (neighbours(one, other) != kind)
				continue;
			worst = fmax(worst, joint_loss(question, one, other));
			enumerated =
				fmax(enumerated, enumerated_loss(question, one, other));
		}
	is_double(enumerated, worst, 1e-9, "%s: outputs one by one",
			  question->what);
	return worst;
}

/* The greatest divergence, divided by its order: no more than rho. */
static double
worst_rho(const Question *question, int kind)
{
	static const double alphas[] = {1.01, 1.5, 2, 4, 10};
	double worst = 0;
	int one[ROWS];
	int other[ROWS];
	size_t alpha;
	int i;
	int j;

	/* One row alone is enough: others cancel. */
	for (i = 0; i < VALUES; i++)
		for (j = 0; j < VALUES; j++)
		{
			table_of(i, one);
			table_of(j, other);
			if (neighbours(one, other) != kind)
				continue;
			for (alpha = 0; alpha < sizeof(alphas) / sizeof(*alphas); alpha++)
				worst = fmax(worst, joint_divergence(question, one, other,
													 alphas[alpha]) /
										alphas[alpha]);
		}
	return worst;
}

static void
test_laws(void)
{
	static const Question disjoint = {"disjoint", {1 << 1, 1 << 2, 1 << 3}};
	static const Question overlapping = {"overlapping",
										 {1 << 1 | 1 << 2, 1 << 2, 1 << 3}};
	DpPrivacyCost costs[COUNTS];
	DpPrivacyCost one;
	DpPrivacyCost two;

	costs_of_counts(costs);
	one = dp_disjoint_cost(costs, COUNTS, DP_TOUCHES_ONE);
	two = dp_disjoint_cost(costs, COUNTS, DP_TOUCHES_TWO);
	is_double(worst_loss(&disjoint, 1), double_of(one.epsilon), 1e-9,
			  "a row more or less: the greatest epsilon, and no less");
	is_double(worst_loss(&disjoint, 2), double_of(two.epsilon), 1e-9,
			  "an exchange: the two greatest, and no less");
	ok(worst_rho(&disjoint, 1) <= double_of(one.rho), "the same in rho");
	ok(worst_rho(&disjoint, 2) <= double_of(two.rho), "and of an exchange");
	ok(worst_rho(&disjoint, 1) > 0.98 * double_of(one.rho),
	   "which is all but attained");
	/* A row of value 2 is in the first and in the second. */
	costs[2] = costs[1];
	one = dp_disjoint_cost(costs, 2, DP_TOUCHES_ONE);
	ok(worst_loss(&overlapping, 1) > double_of(one.epsilon) + 0.4,
	   "counts that overlap cost more: they must not be taken for disjoint");
}

/* Currencies are independent: one may be greatest in epsilon, another in delta. */
static void
test_currencies(void)
{
	DpPrivacyCost costs[3] = {{{0}, {0}, {0}, {0}, {0}},
							  {{0}, {0}, {0}, {0}, {0}},
							  {{0}, {0}, {0}, {0}, {0}}};
	DpPrivacyCost cost;

	costs[0].epsilon = amount_of("1");
	costs[1].delta = costs[1].pool = amount_of("0.001");
	costs[2].unbounded = amount_of("1");
	costs[2].rho = amount_of("0.25");
	cost = dp_disjoint_cost(costs, 3, DP_TOUCHES_ONE);
	ok(cost.epsilon.ticks == costs[0].epsilon.ticks &&
		   cost.delta.ticks == costs[1].delta.ticks &&
		   cost.pool.ticks == costs[1].pool.ticks &&
		   cost.unbounded.ticks == costs[2].unbounded.ticks &&
		   cost.rho.ticks == costs[2].rho.ticks,
	   "the greatest of each");
	costs[1].epsilon = costs[2].epsilon = amount_of("0.75");
	cost = dp_disjoint_cost(costs, 3, DP_TOUCHES_TWO);
	ok(cost.epsilon.ticks == amount_of("1.75").ticks, "or of each two");
	cost = dp_disjoint_cost(costs, 1, DP_TOUCHES_TWO);
	ok(cost.epsilon.ticks == costs[0].epsilon.ticks,
	   "a single one costs what it costs");
}

#define NODES 5

static bool
by_matrix(int one, int other, const void *context)
{
	return ((const bool(*)[NODES]) context)[one][other];
}

/* The greatest sum of weights that one row can meet: of any two not disjoint. */
static int
worst_row(bool (*disjoint)[NODES], const int weights[NODES])
{
	int worst = 0;
	int set;
	int i;
	int j;

	for (set = 0; set < 1 << NODES; set++)
	{
		bool can_be = true;
		int sum = 0;

		for (i = 0; i < NODES; i++)
			for (j = 0; j < i; j++)
				can_be &= (set >> i & 1) == 0 || (set >> j & 1) == 0 ||
						  !disjoint[i][j];
		for (i = 0; i < NODES; i++)
			sum += (set >> i & 1) != 0 ? weights[i] : 0;
		if (can_be && sum > worst)
			worst = sum;
	}
	return worst;
}

/* Of every relation of five answers: no row can cost more than is charged. */
static void
test_partitions(void)
{
	static const int weights[NODES] = {7, 5, 3, 2, 1}; /* the dearest first */
	static const int order[NODES] = {0, 1, 2, 3, 4};
	bool disjoint[NODES][NODES];
	int classes[NODES];
	int unsound = 0;
	int dearer = 0;
	int wrong = 0;
	int exact = 0;
	int graph;
	int i;
	int j;

	for (graph = 0; graph < 1 << (NODES * (NODES - 1) / 2); graph++)
	{
		int greatest[NODES] = {0};
		int bit = 0;
		int charged = 0;
		int total = 0;

		for (i = 0; i < NODES; i++)
		{
			disjoint[i][i] = false;
			for (j = 0; j < i; j++)
				disjoint[i][j] = disjoint[j][i] = (graph >> bit++ & 1) != 0;
		}
		(void) dp_disjoint_partition(order, NODES, by_matrix, disjoint,
									 classes);
		for (i = 0; i < NODES; i++)
		{
			for (j = 0; j < i; j++)
				wrong += classes[i] == classes[j] && !disjoint[i][j];
			if (weights[i] > greatest[classes[i]])
				greatest[classes[i]] = weights[i];
			total += weights[i];
		}
		for (i = 0; i < NODES; i++)
			charged += greatest[i];
		unsound += charged < worst_row(disjoint, weights);
		dearer += charged > total;
		exact += charged == worst_row(disjoint, weights);
	}
	is_int(wrong, 0, "in a set any two are about other rows");
	is_int(unsound, 0, "no row costs more than what is charged");
	is_int(dearer, 0, "and nothing costs more than apart");
	ok(exact > 600, "mostly that is the least: %d of 1024", exact);
}

int
main(void)
{
	test_laws();
	test_currencies();
	test_partitions();
	return done_testing();
}
