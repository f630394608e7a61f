/*
 * statistic.c
 *		G-test, and the incomplete gamma function behind its p-value.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "support/statistic.h"

double
gamma_upper(double a, double x)
{
	double scale;
	double sum;
	int n;

	if (x <= 0)
		return 1;
	scale = exp(-x + a * log(x) - lgamma(a));
	if (x < a + 1)
	{
		/* 1 - x^a e^-x / Gamma(a) * sum of x^n / (a (a+1) ... (a+n)) */
		double term = 1 / a;

		sum = term;
		for (n = 1; n < 100000 && term > sum * 1e-17; n++)
		{
			term *= x / (a + n);
			sum += term;
		}
		return 1 - scale * sum;
	}

	/* The continued fraction, evaluated forwards (Lentz). */
	{
		double b = x + 1 - a;
		double c = 1e300;
		double d = 1 / b;
		double change = 0;

		sum = d;
		for (n = 1; n < 100000 && fabs(change - 1) > 1e-15; n++)
		{
			double factor = -n * (n - a);

			b += 2;
			d = 1 / (factor * d + b);
			c = b + factor / c;
			change = c * d;
			sum *= change;
		}
		return scale * sum;
	}
}

double
chi_square_tail(double statistic, double degrees)
{
	return gamma_upper(degrees / 2, statistic / 2);
}

/* What one cell adds to G: 2 * observed * ln(observed / expected). */
static double
deviance(double observed, double expected)
{
	double change = observed - expected;

	if (observed == 0)
		return 2 * expected;
	/* in this form every cell adds something positive */
	return 2 * (observed * log(observed / expected) - change);
}

double
fit_p_value(const uint64_t *counts, const double *probabilities, size_t cells,
			uint64_t draws, size_t *pooled)
{
	double statistic = 0;
	double observed = 0; /* of the cell being filled */
	double expected = 0;
	double last_observed = 0; /* of the cell filled before it */
	double last_expected = 0;
	double rest_observed = (double) draws;
	double rest_probability = 1;
	size_t filled = 0;
	size_t i;

	for (i = 0; i <= cells; i++)
	{
		if (i < cells)
		{
			observed += (double) counts[i];
			expected += probabilities[i] * (double) draws;
			rest_observed -= (double) counts[i];
			rest_probability -= probabilities[i];
		}
		else
		{
			observed += rest_observed;
			expected += fmax(rest_probability, 0) * (double) draws;
		}
		if (expected >= STATISTIC_LEAST_EXPECTED)
		{
			if (filled > 0)
				statistic += deviance(last_observed, last_expected);
			last_observed = observed;
			last_expected = expected;
			observed = expected = 0;
			filled++;
		}
	}
	if (filled > 0)
		statistic +=
			deviance(last_observed + observed, last_expected + expected);
	if (pooled != NULL)
		*pooled = filled;
	if (filled < 2)
		return 0;
	return chi_square_tail(statistic, (double) (filled - 1));
}

static bool
report_fit(double p_value, size_t pooled, uint64_t draws, const char *name,
		   va_list arguments)
{
	char text[256];
	bool passed = p_value >= STATISTIC_ALARM;

	/* The analyser looks for va_start here; it is in the callers. */
	/* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized) */
	vsnprintf(text, sizeof(text), name, arguments);
	ok(passed, "%s", text);
	if (!passed)
		diag("p-value %g of %llu draws in %zu cells", p_value,
			 (unsigned long long) draws, pooled);
	return passed;
}

bool
fits(const uint64_t *counts, const double *probabilities, size_t cells,
	 uint64_t draws, const char *name, ...)
{
	size_t pooled;
	double p_value = fit_p_value(counts, probabilities, cells, draws, &pooled);
	va_list arguments;
	bool passed;

	va_start(arguments, name);
	passed = report_fit(p_value, pooled, draws, name, arguments);
	va_end(arguments);
	return passed;
}

bool
fits_coin(uint64_t count, double probability, uint64_t draws, const char *name,
		  ...)
{
	size_t pooled;
	double p_value = fit_p_value(&count, &probability, 1, draws, &pooled);
	va_list arguments;
	bool passed;

	va_start(arguments, name);
	passed = report_fit(p_value, pooled, draws, name, arguments);
	va_end(arguments);
	return passed;
}
