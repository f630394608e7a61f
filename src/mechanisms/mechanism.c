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
	"exponential, above_threshold"

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

static DpMechanismProblem
set_parameter(Word name, Word value, DpMechanismChoice *choice)
{
	bool valid;

	switch (choice->mechanism)
	{
		case DP_STAIRCASE:
		case DP_DISCRETE_STAIRCASE:
			if (word_is(name, "gamma"))
				valid = read_number(value, 0, 1, &choice->gamma) &&
						choice->gamma > 0;
			else if (word_is(name, "cost"))
			{
				valid = word_is(value, "l1") || word_is(value, "l2");
				choice->cost =
					word_is(value, "l2") ? DP_COST_SQUARED : DP_COST_ABSOLUTE;
			}
			else if (word_is(name, "r") &&
					 choice->mechanism == DP_DISCRETE_STAIRCASE)
				valid =
					read_number(value, 1, 4398046511104.0,
								&choice->first_step) &&
					choice->first_step == (double) (int64_t) choice->first_step;
			else
				return DP_MECHANISM_PARAMETER;
			break;
		case DP_GAUSSIAN:
			if (!word_is(name, "delta"))
				return DP_MECHANISM_PARAMETER;
			valid = read_number(value, 0, 1, &choice->delta) &&
					choice->delta > 0 && choice->delta < 1;
			break;
		case DP_EXPONENTIAL:
			if (!word_is(name, "rank"))
				return DP_MECHANISM_PARAMETER;
			valid = read_number(value, 0, 1e9, &choice->rank);
			break;
		default:
			return DP_MECHANISM_PARAMETER;
	}
	return valid ? DP_MECHANISM_VALID : DP_MECHANISM_VALUE;
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

	*choice = (DpMechanismChoice){.mechanism = DP_AUTO, .rank = -1};
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
