/*
 * exact_decimal.c
 *		Doubles as the decimal numbers that they are.
 *
 * A double is m * 2^e with integers m and e. Where e is negative that is
 * m * 5^-e / 10^-e: the digits of m * 5^-e, with a point among them.
 */
#include "core/exact_decimal.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define LIMB_DIGITS 9
#define LIMB 1000000000
#define LIMBS 90 /* 810 digits; the longest have 767 */

/* A natural number, least significant limb first. */
typedef struct Natural
{
	uint32_t limb[LIMBS];
	int count;
} Natural;

static void
multiply(Natural *number, uint32_t factor)
{
	uint64_t carry = 0;
	int i;

	for (i = 0; i < number->count; i++)
	{
		carry += (uint64_t) number->limb[i] * factor;
		number->limb[i] = (uint32_t) (carry % LIMB);
		carry /= LIMB;
	}
	if (carry > 0)
		number->limb[number->count++] = (uint32_t) carry;
}

static void
set(Natural *number, uint64_t value)
{
	for (number->count = 0; value > 0; value /= LIMB)
		number->limb[number->count++] = (uint32_t) (value % LIMB);
}

/* The decimal digits of a number, most significant first; returns how many. */
static int
write_digits(const Natural *number, char *digits)
{
	int count = number->count * LIMB_DIGITS;
	int zeros = 0;
	int i;

	for (i = 0; i < count; i++)
	{
		uint32_t limb = number->limb[i / LIMB_DIGITS];
		int shift;

		for (shift = i % LIMB_DIGITS; shift > 0; shift--)
			limb /= 10;
		digits[count - 1 - i] = (char) ('0' + limb % 10);
	}
	while (zeros < count - 1 && digits[zeros] == '0')
		zeros++;
	memmove(digits, digits + zeros, (size_t) (count - zeros));
	return count - zeros;
}

/* Puts a point before the last `fraction` digits. */
static void
write_point(const char *digits, int count, int fraction, char *text)
{
	int i;

	if (count <= fraction)
		*text++ = '0';
	for (i = 0; i < count - fraction; i++)
		*text++ = *digits++;
	if (fraction > 0)
		*text++ = '.';
	for (i = count; i < fraction; i++)
		*text++ = '0';
	for (i = count < fraction ? count : fraction; i > 0; i--)
		*text++ = *digits++;
	*text = '\0';
}

void
dp_exact_decimal(double value, char text[DP_EXACT_DECIMAL_SIZE])
{
	char digits[LIMBS * LIMB_DIGITS];
	uint64_t mantissa;
	Natural number;
	int exponent;
	int i;

	if (isnan(value))
	{
		memcpy(text, "NaN", sizeof("NaN"));
		return;
	}
	if (value < 0)
	{
		*text++ = '-';
		value = -value;
	}
	if (isinf(value))
	{
		memcpy(text, "Infinity", sizeof("Infinity"));
		return;
	}
	if (value == 0)
	{
		memcpy(text, "0", sizeof("0"));
		return;
	}
	mantissa = (uint64_t) ldexp(frexp(value, &exponent), 53);
	for (exponent -= 53; mantissa % 2 == 0; exponent++)
		mantissa /= 2;
	set(&number, mantissa);
	for (i = 0; i < exponent; i++)
		multiply(&number, 2);
	for (i = 0; i > exponent; i--)
		multiply(&number, 5);
	write_point(digits, write_digits(&number, digits),
				exponent < 0 ? -exponent : 0, text);
}
