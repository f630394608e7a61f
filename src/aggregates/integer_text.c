/*
 * integer_text.c
 *		Decimal text of 128-bit integers.
 */
#include "postgres.h"

#include "aggregates/integer_text.h"

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
