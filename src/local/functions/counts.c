/*
 * counts.c
 *		dp_randomized_counts() and dp_randomized_bit_counts(): estimates of how
 *		often each value occurs, from randomised reports.
 *
 * This is post-processing: reports are noisy already, so errors may say what is
 * wrong with them.
 */
#include "postgres.h"

#include "common/int.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/tuplestore.h"
#include "utils/varbit.h"

#include "local/estimate.h"
#include "local/functions/domain.h"

PG_FUNCTION_INFO_V1(dp_randomized_counts);
PG_FUNCTION_INFO_V1(dp_randomized_bit_counts);

/* An iterator over reports, each with the number of its occurrences. */
typedef struct Reports
{
	ArrayIterator values;
	ArrayIterator counts; /* NULL: each occurs once */
} Reports;

static void
add(int64 *sum, int64 count)
{
	if (pg_add_s64_overflow(*sum, count, sum))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("number of reports is out of range"),
				 errhint("Counts of all reports together must fit bigint.")));
}

/* values: argument 0. */
static Reports
open_reports(FunctionCallInfo fcinfo, int counts)
{
	Reports reports = {0};
	ArrayType *values;

	dp_local_check_argument(fcinfo, 0, "reported");
	values = PG_GETARG_ARRAYTYPE_P(0);
	reports.values = array_create_iterator(values, 0, NULL);
	if (!PG_ARGISNULL(counts))
	{
		ArrayType *array = PG_GETARG_ARRAYTYPE_P(counts);

		if (ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)) !=
			ArrayGetNItems(ARR_NDIM(values), ARR_DIMS(values)))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("counts must be as many as reported values"),
					 errhint("Write how often each of the reported values "
							 "occurs, or leave counts out.")));
		reports.counts = array_create_iterator(array, 0, NULL);
	}
	return reports;
}

static bool
next_report(Reports *reports, Datum *value, bool *isnull, int64 *count)
{
	CHECK_FOR_INTERRUPTS();
	*count = 1;
	if (!array_iterate(reports->values, value, isnull))
		return false;
	if (reports->counts != NULL)
	{
		Datum number;
		bool missing;

		if (!array_iterate(reports->counts, &number, &missing) || missing)
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("counts must not be null"),
							errhint("Write 0, or leave the value out.")));
		*count = DatumGetInt64(number);
	}
	return true;
}

/* A row for each value of the domain. */
static void
return_estimates(FunctionCallInfo fcinfo, const DpLocalDomain *domain,
				 const DpReportLaw *law, const int64 *reports, int64 total)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	uint32 i;

	InitMaterializedSRF(fcinfo, 0);
	for (i = 0; i < domain->count; i++)
	{
		DpEstimate estimate =
			dp_estimate_of(law, (double) reports[i], (double) total);
		Datum row[4];
		bool nulls[4] = {false, false, false, false};

		row[0] = dp_domain_value(domain, i, &nulls[0]);
		row[1] = Int64GetDatum(reports[i]);
		row[2] = Float8GetDatum(estimate.count);
		row[3] = Float8GetDatum(estimate.standard_error);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, row, nulls);
	}
}

/* (reported, domain, epsilon, counts) -> rows */
Datum
dp_randomized_counts(PG_FUNCTION_ARGS)
{
	DpLocalCall *call = dp_local_call(fcinfo);
	DpReportLaw law =
		dp_report_law_of_response(call->epsilon, call->domain.count);
	int64 *reports = palloc0(call->domain.count * sizeof(int64));
	int64 total = 0;
	Reports all = open_reports(fcinfo, 3);
	Datum value;
	bool isnull;
	int64 count;

	while (next_report(&all, &value, &isnull, &count))
	{
		uint32 index = dp_domain_find(&call->domain, value, isnull);

		if (index == call->domain.count)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("a reported value is not in the domain"),
					 errhint("Write the domain with which dp_randomize drew "
							 "the values, and leave out rows that it did not "
							 "draw.")));
		add(&reports[index], count);
		add(&total, count);
	}
	return_estimates(fcinfo, &call->domain, &law, reports, total);
	return (Datum) 0;
}

/* Adds the bits of one report, times its number of occurrences. */
static void
add_bits(int64 *reports, const DpLocalDomain *domain, Datum value, int64 count)
{
	VarBit *bits = DatumGetVarBitP(value);
	uint32 i;

	if ((uint32) VARBITLEN(bits) != domain->count)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a report does not have a bit for each value of the "
						"domain"),
				 errhint("Write the domain with which dp_randomize_bits drew "
						 "the reports.")));
	for (i = 0; i < domain->count; i++)
	{
		if (VARBITS(bits)[i / BITS_PER_BYTE] & 0x80 >> i % BITS_PER_BYTE)
			add(&reports[i], count);
	}
	if ((Pointer) bits != DatumGetPointer(value))
		pfree(bits);
}

/* (reported, domain, epsilon, encoding, report_epsilon, counts) -> rows */
Datum
dp_randomized_bit_counts(PG_FUNCTION_ARGS)
{
	DpLocalCall *call = dp_local_call(fcinfo);
	DpReportLaw law =
		dp_report_law_of_bits(dp_local_encoding(fcinfo, 3), call->epsilon);
	int64 *reports = palloc0(call->domain.count * sizeof(int64));
	int64 total = 0;
	Reports all = open_reports(fcinfo, 5);
	Datum value;
	bool isnull;
	int64 count;

	if (!PG_ARGISNULL(4))
	{
		DpUnaryReport report =
			dp_local_report(call->epsilon, PG_GETARG_FLOAT8(4));

		if (dp_local_encoding(fcinfo, 3) != DP_ENCODING_SYMMETRIC)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("reports of stored responses have the encoding "
							"symmetric"),
					 errhint("Write encoding => 'symmetric', or leave "
							 "report_epsilon out.")));
		law = dp_report_law_of_reports(call->epsilon, &report);
	}
	while (next_report(&all, &value, &isnull, &count))
	{
		if (isnull)
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("reported values must not be null"),
							errhint("Leave out rows without a report.")));
		add_bits(reports, &call->domain, value, count);
		add(&total, count);
	}
	return_estimates(fcinfo, &call->domain, &law, reports, total);
	return (Datum) 0;
}
