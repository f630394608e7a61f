/*
 * test_mechanism.c
 *		Parsing of mechanism names and parameters.
 */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mechanisms/mechanism.h"
#include "support/random_fixed.h"
#include "support/tap.h"

static void
test_names(void)
{
	static const struct
	{
		const char *name;
		DpMechanism mechanism;
		bool truncated;
	} names[] = {
		{"auto", DP_AUTO, false},
		{"laplace", DP_LAPLACE, false},
		{"geometric", DP_GEOMETRIC, false},
		{"staircase", DP_STAIRCASE, false},
		{"discrete_staircase", DP_DISCRETE_STAIRCASE, false},
		{"truncated_laplace", DP_LAPLACE, true},
		{"truncated_geometric", DP_GEOMETRIC, true},
		{"truncated_staircase", DP_STAIRCASE, true},
		{"gaussian", DP_GAUSSIAN, false},
		{"exponential", DP_EXPONENTIAL, false},
		{"above_threshold", DP_ABOVE_THRESHOLD, false},
		{"two_stage", DP_TWO_STAGE, false},
		{"smooth_cauchy", DP_SMOOTH_CAUCHY, false},
		{"smooth_laplace", DP_SMOOTH_LAPLACE, false},
		{"permute_and_flip", DP_PERMUTE_AND_FLIP, false},
		{"abstract_staircase", DP_ABSTRACT_STAIRCASE, false},
	};
	size_t i;
	size_t length = 0;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
	{
		DpMechanismChoice choice;
		char spaced[80];
		const char *base = names[i].name + (names[i].truncated ? 10 : 0);

		ok(dp_mechanism_parse(names[i].name, &choice) == DP_MECHANISM_VALID &&
			   choice.mechanism == names[i].mechanism &&
			   choice.truncated == names[i].truncated && choice.gamma == 0 &&
			   choice.first_step == 0 && choice.delta == 0 && choice.rank < 0 &&
			   choice.quantum == 0 && choice.levels == 3 &&
			   choice.constants == DP_CONSTANTS_TIGHT &&
			   choice.cost == DP_COST_ABSOLUTE,
		   "%s, with its defaults", names[i].name);
		snprintf(spaced, sizeof(spaced), " \t%s\r\n ", names[i].name);
		ok(dp_mechanism_parse(spaced, &choice) == DP_MECHANISM_VALID &&
			   choice.mechanism == names[i].mechanism,
		   "with white space");
		ok(strcmp(dp_mechanism_name(names[i].mechanism), base) == 0,
		   "its name again");
		ok(strstr(dp_mechanism_names(), names[i].name) != NULL,
		   "it is in the list of names");
		length += strlen(names[i].name) + 2;
	}
	is_int((long long) strlen(dp_mechanism_names()), (long long) length - 2,
		   "there are no other names");
	ok(strcmp(dp_mechanism_name((DpMechanism) 99), "unknown") == 0 &&
		   !dp_mechanism_is_noise((DpMechanism) 99),
	   "a mechanism that is none");
	for (i = 0; i < DP_MECHANISM_END; i++)
		ok(strcmp(dp_mechanism_name((DpMechanism) i), "unknown") != 0,
		   "mechanism %d has a row", (int) i);
}

static void
test_texts(void)
{
	static const struct
	{
		const char *text;
		DpMechanismProblem problem;
	} texts[] = {
		{"", DP_MECHANISM_SYNTAX},
		{"   ", DP_MECHANISM_SYNTAX},
		{"()", DP_MECHANISM_SYNTAX},
		{"lapl", DP_MECHANISM_UNKNOWN},
		{"laplaces", DP_MECHANISM_UNKNOWN},
		{"Laplace", DP_MECHANISM_SYNTAX},
		{"LAPLACE", DP_MECHANISM_SYNTAX},
		{"truncated_", DP_MECHANISM_UNKNOWN},
		{"truncated", DP_MECHANISM_UNKNOWN},
		{"truncated_gaussian", DP_MECHANISM_UNKNOWN},
		{"truncated_auto", DP_MECHANISM_UNKNOWN},
		{"truncated_discrete_staircase", DP_MECHANISM_UNKNOWN},
		{"truncated_truncated_laplace", DP_MECHANISM_UNKNOWN},
		{"laplace laplace", DP_MECHANISM_SYNTAX},
		{"laplace;", DP_MECHANISM_SYNTAX},
		{"laplace)", DP_MECHANISM_SYNTAX},
		{"laplace(", DP_MECHANISM_SYNTAX},
		{"laplace()", DP_MECHANISM_SYNTAX},
		{"laplace(gamma=0.5)", DP_MECHANISM_PARAMETER},
		{"auto(cost=l1)", DP_MECHANISM_PARAMETER},
		{"geometric(r=2)", DP_MECHANISM_PARAMETER},
		{"above_threshold(rank=2)", DP_MECHANISM_PARAMETER},
		{"staircase(r=2)", DP_MECHANISM_PARAMETER},
		{"staircase(Gamma=0.5)", DP_MECHANISM_SYNTAX},
		{"staircase(gamm=0.5)", DP_MECHANISM_PARAMETER},
		{"staircase(gamma)", DP_MECHANISM_SYNTAX},
		{"staircase(gamma=)", DP_MECHANISM_SYNTAX},
		{"staircase(=0.5)", DP_MECHANISM_SYNTAX},
		{"staircase(gamma=0.5", DP_MECHANISM_SYNTAX},
		{"staircase(gamma=0.5,)", DP_MECHANISM_SYNTAX},
		{"staircase(,gamma=0.5)", DP_MECHANISM_SYNTAX},
		{"staircase(gamma=0.5))", DP_MECHANISM_SYNTAX},
		{"staircase(gamma=0.5) x", DP_MECHANISM_SYNTAX},
		{"staircase(gamma=0.5)(cost=l1)", DP_MECHANISM_SYNTAX},
		{"staircase(gamma=0.5 0.6)", DP_MECHANISM_SYNTAX},
		{"staircase(gamma=0.5;cost=l1)", DP_MECHANISM_SYNTAX},
		{"staircase(gamma=0.5, gamma=0.6)", DP_MECHANISM_SYNTAX},
		{"staircase(cost=l1,gamma=1,cost=l1)", DP_MECHANISM_SYNTAX},
		{"gaussian(delta=1e-6,delta=1e-6)", DP_MECHANISM_SYNTAX},
		{"staircase(gamma=0)", DP_MECHANISM_VALUE},
		{"staircase(gamma=-0)", DP_MECHANISM_VALUE},
		{"staircase(gamma=-0.1)", DP_MECHANISM_VALUE},
		{"staircase(gamma=1.0000001)", DP_MECHANISM_VALUE},
		{"staircase(gamma=1e-999)", DP_MECHANISM_VALUE},
		{"staircase(gamma=1e999)", DP_MECHANISM_VALUE},
		{"staircase(gamma=nan)", DP_MECHANISM_VALUE},
		{"staircase(gamma=inf)", DP_MECHANISM_VALUE},
		{"staircase(gamma=0x1)", DP_MECHANISM_VALUE},
		{"staircase(gamma=1e)", DP_MECHANISM_VALUE},
		{"staircase(gamma=1e+)", DP_MECHANISM_VALUE},
		{"staircase(gamma=e5)", DP_MECHANISM_VALUE},
		{"staircase(gamma=.)", DP_MECHANISM_VALUE},
		{"staircase(gamma=+)", DP_MECHANISM_VALUE},
		{"staircase(gamma=--1)", DP_MECHANISM_VALUE},
		{"staircase(gamma=0.5.5)", DP_MECHANISM_VALUE},
		{"staircase(gamma=0.5e1.5)", DP_MECHANISM_VALUE},
		{"staircase(gamma=0,5)", DP_MECHANISM_VALUE},
		{"staircase(cost=l3)", DP_MECHANISM_VALUE},
		{"staircase(cost=1)", DP_MECHANISM_VALUE},
		{"discrete_staircase(r=0)", DP_MECHANISM_VALUE},
		{"discrete_staircase(r=1.5)", DP_MECHANISM_VALUE},
		{"discrete_staircase(r=-1)", DP_MECHANISM_VALUE},
		{"discrete_staircase(r=4398046511105)", DP_MECHANISM_VALUE},
		{"gaussian(delta=0)", DP_MECHANISM_VALUE},
		{"gaussian(delta=1)", DP_MECHANISM_VALUE},
		{"gaussian(delta=1e-400)", DP_MECHANISM_VALUE},
		{"exponential(rank=-1)", DP_MECHANISM_VALUE},
		{"geometric(quantum=0)", DP_MECHANISM_VALUE},
		{"geometric(quantum=-1)", DP_MECHANISM_VALUE},
		{"geometric(quantum=1e400)", DP_MECHANISM_VALUE},
		{"laplace(quantum=1)", DP_MECHANISM_PARAMETER},
		{"geometric(quantum=0.5)", DP_MECHANISM_VALID},
		{"truncated_geometric(quantum=5)", DP_MECHANISM_VALID},
		{"two_stage(levels=1)", DP_MECHANISM_VALUE},
		{"two_stage(levels=101)", DP_MECHANISM_VALUE},
		{"two_stage(levels=2.5)", DP_MECHANISM_VALUE},
		{"two_stage(levels=100)", DP_MECHANISM_VALID},
		{"two_stage(quantum=1)", DP_MECHANISM_PARAMETER},
		{"truncated_two_stage", DP_MECHANISM_UNKNOWN},
		{"smooth_cauchy(constants=loose)", DP_MECHANISM_VALUE},
		{"smooth_cauchy(delta=0.1)", DP_MECHANISM_PARAMETER},
		{"smooth_laplace(delta=1)", DP_MECHANISM_VALUE},
		{"permute_and_flip(gamma=0.5)", DP_MECHANISM_PARAMETER},
		{"abstract_staircase(cost=l1)", DP_MECHANISM_PARAMETER},
		{"abstract_staircase(gamma=0)", DP_MECHANISM_VALUE},
		{"exponential(rank=1e10)", DP_MECHANISM_VALUE},
		{"\xff\xfe", DP_MECHANISM_SYNTAX},
		{"laplace\x01", DP_MECHANISM_SYNTAX},
		{"laplace\xc2\xa0", DP_MECHANISM_SYNTAX},
		{"laplac\xc3\xa9", DP_MECHANISM_SYNTAX},
		{"laplace\v", DP_MECHANISM_SYNTAX},
		{"staircase(gamma\x80=0.5)", DP_MECHANISM_SYNTAX},
		{"staircase(gamma=0.5\x80)", DP_MECHANISM_SYNTAX},
		{"staircase(gamma=\xd9\xa0)", DP_MECHANISM_SYNTAX},
		{"%s%n%d", DP_MECHANISM_SYNTAX},
		{"staircase", DP_MECHANISM_VALID},
		{"gaussian", DP_MECHANISM_VALID},
		{"staircase(gamma=1)", DP_MECHANISM_VALID},
		{"staircase ( gamma = 0.5 , cost = l2 ) ", DP_MECHANISM_VALID},
		{"staircase\n(\tgamma\r=\n.5\t)\n", DP_MECHANISM_VALID},
		{"exponential(rank=1000000000)", DP_MECHANISM_VALID},
		{"exponential(rank=0)", DP_MECHANISM_VALID},
		{"discrete_staircase(r=4398046511104)", DP_MECHANISM_VALID},
		{"discrete_staircase(r=2,gamma=0.5,cost=l2)", DP_MECHANISM_VALID},
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
	{
		DpMechanismChoice choice;

		is_int(dp_mechanism_parse(texts[i].text, &choice), texts[i].problem,
			   "text %zu", i);
	}
}

static void
test_values(void)
{
	DpMechanismChoice choice;

	dp_mechanism_parse("staircase(gamma=0.3,cost=l2)", &choice);
	ok(choice.gamma == 0.3 && choice.cost == DP_COST_SQUARED, "gamma and cost");
	dp_mechanism_parse("truncated_staircase(cost=l1)", &choice);
	ok(choice.truncated && choice.cost == DP_COST_ABSOLUTE, "cost alone");
	dp_mechanism_parse("discrete_staircase(r=37)", &choice);
	ok(choice.first_step == 37, "the first step");
	dp_mechanism_parse("discrete_staircase(r=3.7e1)", &choice);
	ok(choice.first_step == 37, "the first step with an exponent");
	dp_mechanism_parse("gaussian(delta=1e-6)", &choice);
	ok(choice.delta == 1e-6, "delta");
	dp_mechanism_parse("gaussian(delta=4.9E-324)", &choice);
	ok(choice.delta == 4.9e-324, "the least delta");
	dp_mechanism_parse("exponential(rank=2.5)", &choice);
	ok(choice.rank == 2.5, "rank");
	dp_mechanism_parse("geometric(quantum=2.5)", &choice);
	ok(choice.quantum == 2.5, "quantum");
	dp_mechanism_parse("two_stage(levels=5)", &choice);
	ok(choice.levels == 5, "levels");
	dp_mechanism_parse("smooth_laplace(constants=nrs,delta=1e-5)", &choice);
	ok(choice.constants == DP_CONSTANTS_NRS && choice.delta == 1e-5,
	   "constants and delta");
	dp_mechanism_parse("smooth_cauchy(constants=tight)", &choice);
	ok(choice.constants == DP_CONSTANTS_TIGHT, "tight constants");
	dp_mechanism_parse("abstract_staircase(r=2)", &choice);
	ok(choice.first_step == 2, "the first step of an abstract staircase");
}

/* Every spelling is the number that the compiler takes it for. */
static void
test_numbers(const char *where)
{
	static const struct
	{
		const char *text;
		double value;
	} numbers[] = {
		{"0.1", 0.1},
		{".1", .1},
		{"1.", 1.},
		{"+0.25", 0.25},
		{"00.5", 0.5},
		{"3e-1", 3e-1},
		{"3E-1", 3e-1},
		{"3e-01", 3e-1},
		{"30e-2", 0.3},
		{"0.00003e4", 0.3},
		{"0.123456789012345678901234567", 0.123456789012345678901234567},
		{"0.9999999999999999999999", 0.9999999999999999999999},
		{"2.2250738585072011e-308", 2.2250738585072011e-308},
		{"0.000000000000000000001e+20", 0.000000000000000000001e+20},
	};
	uint64_t state = 81;
	bool good = true;
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
	{
		DpMechanismChoice choice;
		char text[100];

		snprintf(text, sizeof(text), "staircase(gamma=%s)", numbers[i].text);
		ok(dp_mechanism_parse(text, &choice) == DP_MECHANISM_VALID &&
			   choice.gamma == numbers[i].value,
		   "%s: %s", where, numbers[i].text);
	}
	for (i = 0; i < 20000; i++)
	{
		/* an integer over a power of ten, spelt without a point and with */
		uint64_t mantissa = random_next_below(&state, 1000000000000000u);
		DpMechanismChoice one;
		DpMechanismChoice other;
		char text[100];

		snprintf(text, sizeof(text), "staircase(gamma=0.%015llu)",
				 (unsigned long long) mantissa + 1);
		good = good && dp_mechanism_parse(text, &one) == DP_MECHANISM_VALID &&
			   one.gamma == (double) (mantissa + 1) / 1e15;
		snprintf(text, sizeof(text), "staircase(gamma=%llue-15)",
				 (unsigned long long) mantissa + 1);
		good = good && dp_mechanism_parse(text, &other) == DP_MECHANISM_VALID &&
			   one.gamma == other.gamma;
	}
	ok(good, "%s: random numbers", where);
}

static void
test_locales(void)
{
	static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE",
										  "fr_FR.UTF-8", "fr_FR.utf8"};
	size_t i;

	test_numbers("C");
	for (i = 0; i < sizeof(locales) / sizeof(locales[0]); i++)
	{
		if (setlocale(LC_ALL, locales[i]) != NULL)
		{
			test_numbers(locales[i]);
			setlocale(LC_ALL, "C");
			return;
		}
	}
	ok(true, "# skip no locale with a decimal comma here");
}

/* Whatever the text, an answer, and no byte beyond its end. */
static void
test_garbage(void)
{
	static const char alphabet[] =
		"staircase(gamma=0.5,cost=l1)gaussian delta1e-9_+.\t\x80\xff(((,,==";
	uint64_t state = 82;
	size_t size = 1000000;
	char *text = malloc(size + 1);
	DpMechanismChoice choice;
	bool good = true;
	int i;

	if (text == NULL)
		return;
	memset(text, 'a', size);
	text[size] = '\0';
	is_int(dp_mechanism_parse(text, &choice), DP_MECHANISM_UNKNOWN,
		   "a name of a million letters");
	memset(text, ' ', size);
	is_int(dp_mechanism_parse(text, &choice), DP_MECHANISM_SYNTAX,
		   "a million spaces");
	memcpy(text, "staircase(gamma=", 16);
	memset(text + 16, '0', size - 16);
	is_int(dp_mechanism_parse(text, &choice), DP_MECHANISM_SYNTAX,
		   "a million digits without an end");
	text[size - 1] = ')';
	is_int(dp_mechanism_parse(text, &choice), DP_MECHANISM_VALUE,
		   "a million digits");
	memcpy(text, "staircase(", 10);
	for (i = 10; i + 9 <= (int) size; i += 9)
		memcpy(text + i, "cost = l1,", 9);
	is_int(dp_mechanism_parse(text, &choice), DP_MECHANISM_SYNTAX,
		   "a hundred thousand parameters");
	free(text);

	for (i = 0; i < 200000; i++)
	{
		size_t length = random_next_below(&state, 40);
		char *garbage = malloc(length + 1);
		size_t j;
		DpMechanismProblem problem;

		if (garbage == NULL)
			return;
		for (j = 0; j < length; j++)
			garbage[j] =
				alphabet[random_next_below(&state, sizeof(alphabet) - 1)];
		garbage[length] = '\0';
		if (i % 2 && length >= 10)
			memcpy(garbage, "staircase(", 10);
		problem = dp_mechanism_parse(garbage, &choice);
		good = good && problem >= DP_MECHANISM_VALID &&
			   problem <= DP_MECHANISM_VALUE && choice.gamma >= 0 &&
			   choice.gamma <= 1;
		free(garbage);
	}
	ok(good, "random texts");
}

int
main(void)
{
	test_names();
	test_texts();
	test_values();
	test_locales();
	test_garbage();
	return done_testing();
}
