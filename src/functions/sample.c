/*
 * sample.c
 *		dp_noise.sample(): bare noise, for testing and teaching.
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "functions/planning_noise.h"
#include "server/report.h"

PG_FUNCTION_INFO_V1(dp_sample);

/* (mechanism text, epsilon, sensitivity, n) -> n rows of double precision */
Datum
dp_sample(PG_FUNCTION_ARGS)
{
	int64 n = PG_GETARG_INT64(3);
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	DpRandom *random = dp_report_random();
	DpPlanningNoise planning;
	int64 i;

	if (!superuser())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be superuser to draw bare noise"),
				 errhint("dp_expected_error tells the size of the noise.")));
	if (n < 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("number of samples must not be negative")));
	dp_planning_noise_init(&planning, text_to_cstring(PG_GETARG_TEXT_PP(0)),
						   PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2));

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	for (i = 0; i < n; i++)
	{
		dp_int128 value;
		Datum datum;
		bool null = false;
		DP_RECORD_PLAIN(random);

		CHECK_FOR_INTERRUPTS();
		dp_report_status(dp_noise_draw(random, &planning.noise, &value));
		datum = Float8GetDatum((double) value * planning.step);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, &datum, &null);
	}
	return (Datum) 0;
}
