/*
 * loss.c
 *		Expected losses, true count by true count.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mechanisms/expected_error.h"
#include "planning/loss.h"

bool
dp_loss_parse(const char *text, DpLoss *loss)
{
	static const char *const names[] = {"absolute", "squared", "binary"};
	int i;

	for (i = 0; i < 3; i++)
	{
		if (strcmp(text, names[i]) == 0)
		{
			*loss = (DpLoss) i;
			return true;
		}
	}
	return false;
}

double
dp_loss_between(DpLoss loss, double answer, double truth)
{
	double off = answer - truth;

	switch (loss)
	{
		case DP_LOSS_ABSOLUTE:
			return fabs(off);
		case DP_LOSS_SQUARED:
			return off * off;
		default:
			return off != 0;
	}
}

/* An error of DpError as a loss. */
static double
loss_of_error(const DpError *error, DpLoss loss, double unit)
{
	if (loss == DP_LOSS_ABSOLUTE)
		return error->mean_absolute * unit;
	return error->root_mean_square * unit * (error->root_mean_square * unit);
}

double
dp_loss_raw(const DpNoise *noise, double epsilon, double step, DpLoss loss)
{
	DpNoiseLaw law;
	DpError error;

	if (loss == DP_LOSS_BINARY)
	{
		if (step != 1 || noise->quantum > 1)
			return 1;
		dp_noise_law_init(&law, noise, epsilon, step);
		return 2 * dp_noise_law_tail(&law, 1);
	}
	dp_expected_error_of(noise, epsilon, &error);
	return loss_of_error(&error, loss, step);
}

double
dp_loss_levels(const DpTwoStage *prepared, double span, DpLoss loss)
{
	DpError error;

	if (loss == DP_LOSS_BINARY)
		return 1;
	dp_two_stage_error(prepared, &error);
	return loss_of_error(&error, loss, span);
}

/* Moments of noise without clamping. */
typedef struct Moments
{
	double absolute; /* E|X| */
	double square;	 /* E X^2 */
	double zero;	 /* P(X = 0) */
	double other;	 /* P(X <> 0) */
} Moments;

/* What is prepared once for the losses at all counts. */
typedef struct Prepared
{
	const DpCountLaw *law;
	DpLoss loss;
	Moments moments;	/* of noise without clamping */
	DpCountTable table; /* of clamped answers */
} Prepared;

static DpStatus
prepare(Prepared *prepared, const DpCountLaw *law, DpLoss loss)
{
	*prepared = (Prepared){.law = law, .loss = loss};
	if (law->clamped)
		return dp_count_table_init(&prepared->table, law, law->last);
	prepared->moments =
		(Moments){.absolute = dp_noise_law_mean_absolute(&law->noise),
				  .square = dp_noise_law_mean_square(&law->noise),
				  .zero = dp_noise_law_pmf(&law->noise, 0),
				  .other = 2 * dp_noise_law_tail(&law->noise, 1)};
	return DP_OK;
}

static void
release(Prepared *prepared)
{
	if (prepared->law->clamped)
		dp_count_table_free(&prepared->table);
}

/*
 * From a position at a distance of r from the truth: E|qX + r| = q E|X| + r
 * P(X = 0) for 0 <= r <= q, since the signs of X cancel r.
 */
static double
unclamped_loss(const Prepared *prepared, int x)
{
	const Moments *moments = &prepared->moments;
	double q = prepared->law->spacing;
	double r = fabs(q * dp_count_law_start(prepared->law, x) - x);

	switch (prepared->loss)
	{
		case DP_LOSS_ABSOLUTE:
			return q * moments->absolute + r * moments->zero;
		case DP_LOSS_SQUARED:
			return q * q * moments->square + r * r;
		default:
			return r == 0 ? moments->other : 1;
	}
}

static double
loss_at(const Prepared *prepared, int x)
{
	const DpCountLaw *law = prepared->law;
	int start = (int) dp_count_law_start(law, x);
	double sum = 0;
	int i;

	if (!law->clamped)
		return unclamped_loss(prepared, x);
	for (i = 0; i <= law->last; i++)
		sum += dp_count_table_pmf(&prepared->table, law, start, i) *
			   dp_loss_between(prepared->loss, dp_count_law_value(law, i), x);
	return sum;
}

DpStatus
dp_loss_worst(const DpCountLaw *law, DpLoss loss, double *result)
{
	Prepared prepared;
	int x;

	DP_TRY(prepare(&prepared, law, loss));
	*result = 0;
	for (x = 0; x <= law->n; x++)
		*result = fmax(*result, loss_at(&prepared, x));
	release(&prepared);
	return DP_OK;
}

DpStatus
dp_loss_bayes(const DpCountLaw *law, DpLoss loss, const double *prior,
			  double *result)
{
	double total = 0;
	Prepared prepared;
	int x;

	DP_TRY(prepare(&prepared, law, loss));
	*result = 0;
	for (x = 0; x <= law->n; x++)
	{
		total += prior[x];
		if (prior[x] > 0)
			*result += prior[x] * loss_at(&prepared, x);
	}
	*result /= total;
	release(&prepared);
	return DP_OK;
}
