/*
 * amount.c
 *		Decimal arithmetic of budgets.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "accounting/amount.h"

#define PLACES (DP_AMOUNT_DECIMALS + DP_AMOUNT_LIMIT_DIGITS)

static dp_int128
power_of_ten(int exponent)
{
	dp_int128 power = 1;

	while (exponent-- > 0)
		power *= 10;
	return power;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool
dp_amount_parse(const char *text, bool up, DpAmount *amount)
{
	const dp_int128 limit = power_of_ten(PLACES);
	dp_int128 ticks = 0;
	int decimals = 0;
	bool any = false;
	bool rest = false;

	for (; is_digit(*text); text++)
	{
		ticks = ticks * 10 + (*text - '0');
		any = true;
		if (ticks > power_of_ten(DP_AMOUNT_LIMIT_DIGITS))
			return false;
	}
	if (*text == '.')
		text++;
	for (; is_digit(*text); text++)
	{
		any = true;
		if (decimals < DP_AMOUNT_DECIMALS)
		{
			ticks = ticks * 10 + (*text - '0');
			decimals++;
		}
		else if (*text != '0')
			rest = true;
	}
	if (!any || *text != '\0')
		return false;
	ticks *= power_of_ten(DP_AMOUNT_DECIMALS - decimals);
	if (rest && up)
		ticks++;
	amount->ticks = ticks;
	return ticks <= limit;
}

void
dp_amount_format(DpAmount amount, char text[DP_AMOUNT_TEXT])
{
	char digits[DP_AMOUNT_TEXT];
	dp_int128 rest = amount.ticks;
	int first = DP_AMOUNT_TEXT - 1;
	int decimals = DP_AMOUNT_DECIMALS;
	size_t length;

	/* Digits are written backwards, at least one of them before the point. */
	digits[first] = '\0';
	while (rest != 0 || decimals >= 0)
	{
		if (decimals == 0)
			digits[--first] = '.';
		digits[--first] = (char) ('0' + (int) (rest % 10));
		rest /= 10;
		decimals--;
	}
	length = strlen(digits + first);
	memcpy(text, digits + first, length + 1);
	while (text[length - 1] == '0')
		text[--length] = '\0';
	if (text[length - 1] == '.')
		text[--length] = '\0';
}

/* 15 significant digits restore what people write, such as 0.1. */
bool
dp_amount_from_double(double value, DpAmount *amount)
{
	char text[64];
	int decimals = 0;

	if (!(value >= 0 && value <= 1e13))
		return false;
	value += 0.0; /* -0 is 0 */
	if (value > 0)
		decimals = (int) fmin(40, fmax(0, 14 - floor(log10(value))));
	(void) snprintf(text, sizeof(text), "%.*f", decimals, value);
	if (!dp_amount_parse(text, true, amount))
		return false;
	if (value > 0 && amount->ticks == 0)
		amount->ticks = 1;
	return true;
}

bool
dp_amount_to_epsilon(DpAmount amount, DpEpsilon *epsilon)
{
	const dp_int128 one = power_of_ten(DP_AMOUNT_DECIMALS);
	dp_int128 whole = amount.ticks / one;
	dp_int128 part = amount.ticks % one;
	dp_int128 ticks = whole * (dp_int128) DP_EPSILON_ONE +
					  part * (dp_int128) DP_EPSILON_ONE / one;

	if (ticks < 1 || ticks > (dp_int128) (DP_EPSILON_MAX * DP_EPSILON_ONE))
		return false;
	epsilon->ticks = (uint64_t) ticks;
	return true;
}

bool
dp_amount_epsilon_of(double asked, DpEpsilon *epsilon)
{
	DpAmount amount;

	return asked >= DP_EPSILON_MIN && asked <= DP_EPSILON_MAX &&
		   dp_amount_from_double(asked, &amount) &&
		   dp_amount_to_epsilon(amount, epsilon);
}

/*
 * value <= amount, exactly: value * 10^24 = mantissa * 5^24 * 2^shift, and the
 * product of the first two has at most 53 + 56 bits.
 */
static bool
is_at_most(double value, DpAmount amount)
{
	const dp_uint128 five = 59604644775390625u; /* 5^24 */
	dp_uint128 ticks = (dp_uint128) amount.ticks;
	int exponent;
	double mantissa = frexp(value, &exponent);
	dp_uint128 product = (dp_uint128) ldexp(mantissa, 53) * five;
	int shift = exponent - 53 + DP_AMOUNT_DECIMALS;

	if (product == 0)
		return true;
	if (shift >= 0)
		return shift < 128 && product <= ticks >> shift;
	shift = -shift;
	if (shift >= 128)
		return ticks > 0;
	return product >> shift < ticks ||
		   (product >> shift == ticks && product << (128 - shift) == 0);
}

double
dp_amount_to_delta(DpAmount amount)
{
	double value =
		(double) amount.ticks / (double) power_of_ten(DP_AMOUNT_DECIMALS);

	/* The quotient is a few units in the last place off. */
	value *= 1 + 0x1p-50;
	while (!is_at_most(value, amount))
		value = nextafter(value, 0);
	return value;
}

DpAmount
dp_amount_greatest(void)
{
	DpAmount limit = {power_of_ten(PLACES)};

	return limit;
}

DpAmount
dp_amount_add(DpAmount a, DpAmount b)
{
	const DpAmount limit = dp_amount_greatest();
	DpAmount sum = {a.ticks + b.ticks};

	return sum.ticks > limit.ticks ? limit : sum;
}

DpAmount
dp_amount_left(DpAmount a, DpAmount b)
{
	DpAmount left = {a.ticks > b.ticks ? a.ticks - b.ticks : 0};

	return left;
}

int
dp_amount_compare(DpAmount a, DpAmount b)
{
	return (a.ticks > b.ticks) - (a.ticks < b.ticks);
}
