/*
 * mechanism.c
 *		Parsing of mechanism names and parameters, the same in every locale.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mechanisms/mechanism.h"

#define DP_MECHANISM_NAMES \
	"auto, laplace, geometric, staircase, discrete_staircase, " \
	"truncated_laplace, truncated_geometric, truncated_staircase, gaussian, " \
	"exponential, above_threshold, two_stage, smooth_cauchy, smooth_laplace, " \
	"permute_and_flip, abstract_staircase"

static const struct
{
	const char *name;
	DpMechanism mechanism;
	bool may_truncate;
} mechanisms[] = {
	{"auto", DP_AUTO, false},
	{"laplace", DP_LAPLACE, true},
	{"geometric", DP_GEOMETRIC, true},
	{"staircase", DP_STAIRCASE, true},
	{"discrete_staircase", DP_DISCRETE_STAIRCASE, false},
	{"gaussian", DP_GAUSSIAN, false},
	{"exponential", DP_EXPONENTIAL, false},
	{"above_threshold", DP_ABOVE_THRESHOLD, false},
	{"two_stage", DP_TWO_STAGE, false},
	{"smooth_cauchy", DP_SMOOTH_CAUCHY, false},
	{"smooth_laplace", DP_SMOOTH_LAPLACE, false},
	{"permute_and_flip", DP_PERMUTE_AND_FLIP, false},
	{"abstract_staircase", DP_ABSTRACT_STAIRCASE, false},
};

#define MECHANISM_COUNT (sizeof(mechanisms) / sizeof(mechanisms[0]))

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

static bool
find_mechanism(Word name, DpMechanismChoice *choice)
{
	static const char prefix[] = "truncated_";
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
 * A decimal number between least and greatest. strtod is given the digits
 * without their point, and an exponent that makes up for it: locales differ in
 * the point alone.
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
		size_t places;

		text++;
		if (text < end && (*text == '+' || *text == '-'))
			negative = *text++ == '-';
		places = digits_length(text, (size_t) (end - text));
		if (places == 0 || places > 9)
			return false;
		exponent = strtol(text, NULL, 10);
		if (negative)
			exponent = -exponent;
		text += places;
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

static const struct
{
	DpMechanism mechanism;
	const char *name;
	bool (*read)(Word value, DpMechanismChoice *choice);
} parameters[] = {
	{DP_STAIRCASE, "gamma", read_gamma},
	{DP_STAIRCASE, "cost", read_cost},
	{DP_DISCRETE_STAIRCASE, "gamma", read_gamma},
	{DP_DISCRETE_STAIRCASE, "cost", read_cost},
	{DP_DISCRETE_STAIRCASE, "r", read_first_step},
	{DP_GEOMETRIC, "quantum", read_quantum},
	{DP_GAUSSIAN, "delta", read_delta},
	{DP_EXPONENTIAL, "rank", read_rank},
	{DP_TWO_STAGE, "levels", read_levels},
	{DP_SMOOTH_CAUCHY, "constants", read_constants},
	{DP_SMOOTH_LAPLACE, "constants", read_constants},
	{DP_SMOOTH_LAPLACE, "delta", read_delta},
	{DP_ABSTRACT_STAIRCASE, "gamma", read_gamma},
	{DP_ABSTRACT_STAIRCASE, "r", read_first_step},
};

static DpMechanismProblem
set_parameter(Word name, Word value, DpMechanismChoice *choice)
{
	size_t i;

	for (i = 0; i < sizeof(parameters) / sizeof(parameters[0]); i++)
	{
		if (parameters[i].mechanism == choice->mechanism &&
			word_is(name, parameters[i].name))
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
		/* No mechanism has as many parameters as that. */
		seen[count++] = name;
	} while (*text == ',');
	return *skip_space(text + 1) == '\0' ? DP_MECHANISM_VALID
										 : DP_MECHANISM_SYNTAX;
}

bool
dp_mechanism_is_noise(DpMechanism mechanism)
{
	switch (mechanism)
	{
		case DP_LAPLACE:
		case DP_GEOMETRIC:
		case DP_STAIRCASE:
		case DP_DISCRETE_STAIRCASE:
		case DP_GAUSSIAN:
			return true;
		default:
			return false;
	}
}

const char *
dp_mechanism_name(DpMechanism mechanism)
{
	size_t i;

	for (i = 0; i < MECHANISM_COUNT; i++)
	{
		if (mechanisms[i].mechanism == mechanism)
			return mechanisms[i].name;
	}
	return "unknown";
}

const char *
dp_mechanism_names(void)
{
	return DP_MECHANISM_NAMES;
}
