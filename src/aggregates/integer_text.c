/*
 * integer_text.c
 *		Decimal text of 128-bit integers.
 */
#include "postgres.h"

#include "aggregates/integer_text.h"

const char *
dp_integer_read(const char *text, dp_int128 *value)
{
	bool negative = *text == '-';
	const char *digit = text + (negative ? 1 : 0);

	if (*digit < '0' || *digit > '9')
		return NULL;
	for (*value = 0; *digit >= '0' && *digit <= '9'; digit++)
	{
		/* Built up below zero, where there is room for the least integer. */
		if (__builtin_mul_overflow(*value, 10, value) ||
			__builtin_sub_overflow(*value, *digit - '0', value))
			return NULL;
	}
	if (!negative)
	{
		if (*value == DP_INT128_MIN)
			return NULL;
		*value = -*value;
	}
	return digit;
}

/* False unless text is (integer,...), so many. */
static bool
read_list(const char *text, dp_int128 *integers, int number)
{
	int i;

	for (i = 0; i < number; i++)
	{
		if (*text != (i == 0 ? '(' : ','))
			return false;
		text = dp_integer_read(text + 1, &integers[i]);
		if (text == NULL)
			return false;
	}
	return strcmp(text, ")") == 0;
}

void
dp_integers_read(const char *text, dp_int128 *integers, int number,
				 const char *type, const char *hint)
{
	bool valid = read_list(text, integers, number) &&
				 integers[number - 1] <= PG_INT64_MAX;
	int i;

	for (i = 1; valid && i < number; i++)
		valid = integers[i] >= 0;
	if (!valid)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input syntax for type %s: \"%s\"", type, text),
				 errhint("%s", hint)));
}

const char *
dp_integer_write(dp_int128 value, char room[DP_INTEGER_TEXT])
{
	dp_uint128 rest = dp_int128_abs(value);
	char *first = &room[DP_INTEGER_TEXT - 1];

	*first = '\0';
	do
	{
		*--first = (char) ('0' + (int) (rest % 10));
		rest /= 10;
	} while (rest != 0);
	if (value < 0)
		*--first = '-';
	return first;
}
