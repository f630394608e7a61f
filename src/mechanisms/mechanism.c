/*
 * mechanism.c
 *		Parsing of mechanism names and parameters, the same in every locale.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mechanisms/mechanism.h"

/* A piece of the text being parsed. */
typedef struct Word
{
	const char *start;
	size_t length;
} Word;

static bool
word_is(Word word, const char *text)
{
	return strlen(text) == word.length &&
		   memcmp(word.start, text, word.length) == 0;
}

static const char *
skip_space(const char *text)
{
	return text + strspn(text, " \t\r\n");
}

/* Reads a run of the given characters and the white space around it. */
static const char *
read_word(const char *text, const char *characters, Word *word)
{
	text = skip_space(text);
	word->start = text;
	word->length = strspn(text, characters);
	return skip_space(text + word->length);
}

/* The length of a run of decimal digits, at most most. */
static size_t
digits_length(const char *text, size_t most)
{
	size_t length = 0;

	while (length < most && text[length] >= '0' && text[length] <= '9')
		length++;
	return length;
}

/*
 * A decimal number between least and greatest. strtod gets the digits without
 * the point, and an exponent that makes up for it: for numbers, locales differ
 * only in the point.
 */
static bool
read_number(Word word, double least, double greatest, double *number)
{
	const char *text = word.start;
	const char *end = word.start + word.length;
	char digits[64];
	size_t length = 0;
	size_t whole;
	size_t fraction = 0;
	long exponent = 0;

	if (word.length == 0 || word.length >= sizeof(digits) - 24)
		return false;
	if (*text == '+' || *text == '-')
		digits[length++] = *text++;
	whole = digits_length(text, (size_t) (end - text));
	memcpy(digits + length, text, whole);
	length += whole;
	text += whole;
	if (text < end && *text == '.')
	{
		text++;
		fraction = digits_length(text, (size_t) (end - text));
		memcpy(digits + length, text, fraction);
		length += fraction;
		text += fraction;
	}
	if (whole + fraction == 0)
		return false;
	if (text < end && (*text == 'e' || *text == 'E'))
	{
		bool negative = false;
		size_t count;

		text++;
		if (text < end && (*text == '+' || *text == '-'))
			negative = *text++ == '-';
		count = digits_length(text, (size_t) (end - text));
		if (count == 0 || count > 9)
			return false;
		exponent = strtol(text, NULL, 10);
		if (negative)
			exponent = -exponent;
		text += count;
	}
	if (text != end)
		return false;
	snprintf(digits + length, sizeof(digits) - length, "e%ld",
			 exponent - (long) fraction);
	*number = strtod(digits, NULL);
	return *number >= least && *number <= greatest;
}

/* Readers of one parameter each: false for a value out of its range. */

static bool
read_gamma(Word value, DpMechanismChoice *choice)
{
	return read_number(value, 0, 1, &choice->gamma) && choice->gamma > 0;
}

static bool
read_cost(Word value, DpMechanismChoice *choice)
{
	choice->cost = word_is(value, "l2") ? DP_COST_SQUARED : DP_COST_ABSOLUTE;
	return word_is(value, "l1") || word_is(value, "l2");
}

static bool
read_first_step(Word value, DpMechanismChoice *choice)
{
	return read_number(value, 1, 4398046511104.0, &choice->first_step) &&
		   choice->first_step == (double) (int64_t) choice->first_step;
}

static bool
read_delta(Word value, DpMechanismChoice *choice)
{
	return read_number(value, 0, 1, &choice->delta) && choice->delta > 0 &&
		   choice->delta < 1;
}

static bool
read_rank(Word value, DpMechanismChoice *choice)
{
	return read_number(value, 0, 1e9, &choice->rank);
}

static bool
read_quantum(Word value, DpMechanismChoice *choice)
{
	return read_number(value, 0, 1e308, &choice->quantum) &&
		   choice->quantum > 0;
}

static bool
read_levels(Word value, DpMechanismChoice *choice)
{
	return read_number(value, 2, DP_LEVELS_MAX, &choice->levels) &&
		   choice->levels == (double) (int64_t) choice->levels;
}

static bool
read_constants(Word value, DpMechanismChoice *choice)
{
	choice->constants =
		word_is(value, "nrs") ? DP_CONSTANTS_NRS : DP_CONSTANTS_TIGHT;
	return word_is(value, "nrs") || word_is(value, "tight");
}

#define PARAMETERS_MAX 3

typedef struct Parameter
{
	const char *name;
	bool (*read)(Word value, DpMechanismChoice *choice);
} Parameter;

/* What is known of a mechanism. */
typedef struct Traits
{
	DpMechanism mechanism;
	const char *name;
	DpNoiseKind noise;
	bool is_integer;
	bool may_truncate; /* there is a truncated_ form of it */
	Parameter parameters[PARAMETERS_MAX];
} Traits;

/* One row for each, in the order of DpMechanism, in which they are listed. */
static const Traits mechanisms[] = {
	{.mechanism = DP_AUTO, .name = "auto"},
	{.mechanism = DP_LAPLACE,
	 .name = "laplace",
	 .noise = DP_NOISE_LAPLACE,
	 .may_truncate = true},
	{.mechanism = DP_GEOMETRIC,
	 .name = "geometric",
	 .noise = DP_NOISE_LAPLACE,
	 .is_integer = true,
	 .may_truncate = true,
	 .parameters = {{"quantum", read_quantum}}},
	{.mechanism = DP_STAIRCASE,
	 .name = "staircase",
	 .noise = DP_NOISE_STAIRCASE,
	 .may_truncate = true,
	 .parameters = {{"gamma", read_gamma}, {"cost", read_cost}}},
	{.mechanism = DP_DISCRETE_STAIRCASE,
	 .name = "discrete_staircase",
	 .noise = DP_NOISE_STAIRCASE,
	 .is_integer = true,
	 .parameters = {{"gamma", read_gamma},
					{"cost", read_cost},
					{"r", read_first_step}}},
	{.mechanism = DP_GAUSSIAN,
	 .name = "gaussian",
	 .noise = DP_NOISE_GAUSSIAN,
	 .parameters = {{"delta", read_delta}}},
	{.mechanism = DP_EXPONENTIAL,
	 .name = "exponential",
	 .parameters = {{"rank", read_rank}}},
	{.mechanism = DP_ABOVE_THRESHOLD, .name = "above_threshold"},
	{.mechanism = DP_TWO_STAGE,
	 .name = "two_stage",
	 .parameters = {{"levels", read_levels}}},
	{.mechanism = DP_SMOOTH_CAUCHY,
	 .name = "smooth_cauchy",
	 .parameters = {{"constants", read_constants}}},
	{.mechanism = DP_SMOOTH_LAPLACE,
	 .name = "smooth_laplace",
	 .parameters = {{"constants", read_constants}, {"delta", read_delta}}},
	{.mechanism = DP_PERMUTE_AND_FLIP, .name = "permute_and_flip"},
	{.mechanism = DP_ABSTRACT_STAIRCASE,
	 .name = "abstract_staircase",
	 .parameters = {{"gamma", read_gamma}, {"r", read_first_step}}},
};

#define MECHANISM_COUNT (sizeof(mechanisms) / sizeof(mechanisms[0]))

_Static_assert(MECHANISM_COUNT == DP_MECHANISM_END,
			   "every mechanism has a row");

/* The row of a mechanism; of what is none, one that adds no noise. */
static const Traits *
traits_of(DpMechanism mechanism)
{
	static const Traits none = {.mechanism = DP_MECHANISM_END,
								.name = "unknown"};

	if ((unsigned int) mechanism >= MECHANISM_COUNT ||
		mechanisms[mechanism].mechanism != mechanism)
		return &none;
	return &mechanisms[mechanism];
}

/*
 * Before the name of a mechanism whose answers are brought to what is
 * possible.
 */
static const char prefix[] = "truncated_";

static bool
find_mechanism(Word name, DpMechanismChoice *choice)
{
	const size_t prefix_length = sizeof(prefix) - 1;
	size_t i;

	choice->truncated = name.length > prefix_length &&
						memcmp(name.start, prefix, prefix_length) == 0;
	if (choice->truncated)
	{
		name.start += prefix_length;
		name.length -= prefix_length;
	}
	for (i = 0; i < MECHANISM_COUNT; i++)
	{
		if (word_is(name, mechanisms[i].name) &&
			(!choice->truncated || mechanisms[i].may_truncate))
		{
			choice->mechanism = mechanisms[i].mechanism;
			return true;
		}
	}
	return false;
}

static DpMechanismProblem
set_parameter(Word name, Word value, DpMechanismChoice *choice)
{
	const Parameter *parameters = traits_of(choice->mechanism)->parameters;
	size_t i;

	for (i = 0; i < PARAMETERS_MAX && parameters[i].name != NULL; i++)
	{
		if (word_is(name, parameters[i].name))
			return parameters[i].read(value, choice) ? DP_MECHANISM_VALID
													 : DP_MECHANISM_VALUE;
	}
	return DP_MECHANISM_PARAMETER;
}

DpMechanismProblem
dp_mechanism_parse(const char *text, DpMechanismChoice *choice)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789";
	static const char value_characters[] =
		"abcdefghijklmnopqrstuvwxyz_0123456789+-.E";
	Word name;
	Word value;
	Word seen[8];
	size_t count = 0;
	size_t i;

	*choice = (DpMechanismChoice){
		.mechanism = DP_AUTO, .rank = -1, .levels = DP_LEVELS_DEFAULT};
	text = read_word(text, letters, &name);
	if (name.length == 0 || (*text != '\0' && *text != '('))
		return DP_MECHANISM_SYNTAX;
	if (!find_mechanism(name, choice))
		return DP_MECHANISM_UNKNOWN;
	if (*text == '\0')
		return DP_MECHANISM_VALID;

	do
	{
		DpMechanismProblem problem;

		text = read_word(text + 1, letters, &name);
		if (name.length == 0 || *text != '=')
			return DP_MECHANISM_SYNTAX;
		text = read_word(text + 1, value_characters, &value);
		if (value.length == 0 || (*text != ',' && *text != ')'))
			return DP_MECHANISM_SYNTAX;
		for (i = 0; i < count; i++)
		{
			if (name.length == seen[i].length &&
				memcmp(name.start, seen[i].start, name.length) == 0)
				return DP_MECHANISM_SYNTAX;
		}
		problem = set_parameter(name, value, choice);
		if (problem != DP_MECHANISM_VALID)
			return problem;
		/* No mechanism has more parameters than there is room for. */
		seen[count++] = name;
	} while (*text == ',');
	return *skip_space(text + 1) == '\0' ? DP_MECHANISM_VALID
										 : DP_MECHANISM_SYNTAX;
}

DpNoiseKind
dp_mechanism_noise(DpMechanism mechanism)
{
	return traits_of(mechanism)->noise;
}

bool
dp_mechanism_is_noise(DpMechanism mechanism)
{
	return dp_mechanism_noise(mechanism) != DP_NOISE_NONE;
}

bool
dp_mechanism_is_integer(DpMechanism mechanism)
{
	return traits_of(mechanism)->is_integer;
}

const char *
dp_mechanism_name(DpMechanism mechanism)
{
	return traits_of(mechanism)->name;
}

/* Adds a name, and a comma before all but the first. */
static void
add_name(char *names, size_t size, const char *before, const char *name)
{
	size_t length = strlen(names);

	snprintf(names + length, size - length, "%s%s%s", length > 0 ? ", " : "",
			 before, name);
}

const char *
dp_mechanism_names(void)
{
	static char names[400]; /* made once: they are always the same */
	size_t i;
	size_t j;

	if (names[0] != '\0')
		return names;
	for (i = 0; i < MECHANISM_COUNT; i++)
	{
		/* The truncated forms, all of pure noise, behind that. */
		for (j = 0; j < i && mechanisms[i].mechanism == DP_GAUSSIAN; j++)
		{
			if (mechanisms[j].may_truncate)
				add_name(names, sizeof(names), prefix, mechanisms[j].name);
		}
		add_name(names, sizeof(names), "", mechanisms[i].name);
	}
	return names;
}
