/*
 * randomize.c
 *		dp_randomize(), dp_randomize_bits() and dp_report_bits(): values that
 *		are
 *		randomised one by one, before they are stored.
 *
 * They read no table and need no budget. A true value affects nothing except
 * the distribution of the result. It raises no error, not even if it is outside
 * of the domain. The number of random words used does not depend on it either,
 * except for the one bit of an optimal encoding that is 1.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/varbit.h"

#include "local/functions/domain.h"
#include "server/compat.h"
#include "server/report.h"

PG_FUNCTION_INFO_V1(dp_randomize);
PG_FUNCTION_INFO_V1(dp_randomize_bits);
PG_FUNCTION_INFO_V1(dp_report_bits);

/* The index of the value to be randomised, argument 0. */
static uint32
true_index(FunctionCallInfo fcinfo, const DpLocalCall *call)
{
	bool isnull = PG_ARGISNULL(0);

	return dp_domain_find(&call->domain,
						  isnull ? (Datum) 0 : PG_GETARG_DATUM(0), isnull);
}

/* (value, domain, epsilon) -> a value of the domain */
Datum
dp_randomize(PG_FUNCTION_ARGS)
{
	DpLocalCall *call = dp_local_call(fcinfo);
	uint32 report;
	Datum value;
	bool isnull;

	if (call->response.values == 0)
	{
		DpResponse response;

		dp_report_status(dp_response_init(&response, call->epsilon,
										  call->domain.count, DP_REAL_BITS));
		call->response = response;
	}
	dp_report_status(dp_response_draw(dp_report_random(), &call->response,
									  true_index(fcinfo, call), &report));
	value = dp_domain_value(&call->domain, report, &isnull);
	if (isnull)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(datumCopy(value, call->domain.categories->by_value,
							  call->domain.categories->length));
}

/* A bit string of this many bits, all 0. */
static VarBit *
make_bits(uint32 count)
{
	int length = VARBITTOTALLEN(count);
	VarBit *bits = palloc0(length);

	SET_VARSIZE(bits, length);
	VARBITLEN(bits) = (int32) count;
	return bits;
}

/* The first bit of an array is the highest one. */
static void
set_bit(VarBit *bits, uint32 number, bool bit)
{
	if (bit)
		VARBITS(bits)[number / BITS_PER_BYTE] |= 0x80 >> number % BITS_PER_BYTE;
}

static bool
get_bit(const VarBit *bits, uint32 number)
{
	return (VARBITS(bits)[number / BITS_PER_BYTE] &
			0x80 >> number % BITS_PER_BYTE) != 0;
}

/*
 * (value, domain, epsilon, encoding) -> as many bits as the domain has values
 */
Datum
dp_randomize_bits(PG_FUNCTION_ARGS)
{
	DpLocalCall *call = dp_local_call(fcinfo);
	DpEncoding encoding = dp_local_encoding(fcinfo, 3);
	DpRandom *random = dp_report_random();
	uint32 index = true_index(fcinfo, call);
	VarBit *bits = make_bits(call->domain.count);
	uint32 i;

	for (i = 0; i < call->domain.count; i++)
	{
		bool bit;

		dp_report_status(
			dp_unary_draw(random, encoding, call->epsilon, i == index, &bit));
		set_bit(bits, i, bit);
	}
	PG_RETURN_VARBIT_P(bits);
}

/* Kept by dp_report_bits for the next call. */
typedef struct Reporting
{
	float8 epsilon;
	float8 report_epsilon;
	DpUnaryReport report;
} Reporting;

static const DpUnaryReport *
reporting(FunctionCallInfo fcinfo, float8 epsilon, float8 report_epsilon)
{
	Reporting *kept = fcinfo->flinfo->fn_extra;
	DpEpsilon rounded;

	if (kept != NULL && kept->epsilon == epsilon &&
		kept->report_epsilon == report_epsilon)
		return &kept->report;
	dp_report_status(dp_epsilon_from_double(epsilon, &rounded));
	if (kept == NULL)
		kept = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(*kept));
	kept->report = dp_local_report(rounded, report_epsilon);
	kept->epsilon = epsilon;
	kept->report_epsilon = report_epsilon;
	fcinfo->flinfo->fn_extra = kept;
	return &kept->report;
}

/* (bits of dp_randomize_bits, symmetric; epsilon, report_epsilon) -> bits */
Datum
dp_report_bits(PG_FUNCTION_ARGS)
{
	VarBit *stored = PG_GETARG_VARBIT_P(0);
	const DpUnaryReport *report =
		reporting(fcinfo, PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2));
	DpRandom *random = dp_report_random();
	uint32 count = (uint32) VARBITLEN(stored);
	VarBit *bits = make_bits(count);
	uint32 i;

	for (i = 0; i < count; i++)
	{
		bool bit;

		CHECK_FOR_INTERRUPTS();
		dp_report_status(
			dp_unary_report_draw(random, report, get_bit(stored, i), &bit));
		set_bit(bits, i, bit);
	}
	PG_RETURN_VARBIT_P(bits);
}
