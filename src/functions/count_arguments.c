/*
 * count_arguments.c
 *		Checks of the arguments of dp_expected_loss and dp_remap.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "functions/count_arguments.h"
#include "server/report.h"

DpLoss
dp_argument_loss(text *name)
{
	char *loss_name = text_to_cstring(name);
	DpLoss loss;

	if (!dp_loss_parse(loss_name, &loss))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("unknown loss \"%s\"", loss_name),
						errhint("Write absolute, squared or binary.")));
	return loss;
}

DpMechanismChoice
dp_argument_mechanism(text *mechanism)
{
	DpMechanismChoice choice;

	dp_report_parse_mechanism(text_to_cstring(mechanism), &choice);
	if (!dp_mechanism_is_noise(choice.mechanism) &&
		choice.mechanism != DP_TWO_STAGE)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("the loss of mechanism %s does not follow from epsilon "
						"and sensitivity alone",
						dp_mechanism_name(choice.mechanism)),
				 errhint("Write laplace, geometric, staircase, "
						 "discrete_staircase, gaussian or two_stage.")));
	return choice;
}

DpPrior
dp_argument_prior(ArrayType *array)
{
	DpPrior prior;
	Datum *elements;
	bool *nulls;
	int count;
	double sum = 0;
	int i;

	if (ARR_NDIM(array) != 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("prior must have one dimension"),
						errhint("Write the weights of the counts 0, 1, 2 and "
								"so on, such as ARRAY[1, 1, 1].")));
	deconstruct_array(array, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL,
					  TYPALIGN_DOUBLE, &elements, &nulls, &count);
	if (count < 2 || count > DP_COUNT_MAX + 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("prior must have 2 to %d weights", DP_COUNT_MAX + 1),
				 errhint("Write the weights of the counts 0, 1, 2 and so on, "
						 "such as ARRAY[1, 1, 1].")));
	prior.weights = palloc(count * sizeof(double));
	prior.n = count - 1;
	for (i = 0; i < count; i++)
	{
		prior.weights[i] = nulls[i] ? NAN : DatumGetFloat8(elements[i]);
		sum += prior.weights[i];
		if (!(prior.weights[i] >= 0))
			break;
	}
	if (!(sum > 0) || isinf(sum) || i < count)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("weights of a prior must be finite numbers, 0 or more, "
						"and not all 0"),
				 errhint("Weights need not add up to 1.")));
	return prior;
}

void
dp_argument_count_law(DpCountLaw *law, const DpMechanismChoice *choice,
					  double epsilon, double sensitivity, int n)
{
	if (sensitivity > DP_COUNT_SENSITIVITY_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("sensitivity of a count must be at most %.0f",
						DP_COUNT_SENSITIVITY_MAX),
				 errhint("Write how far one person can move the count.")));
	dp_report_status(dp_count_law_init(law, choice, epsilon, sensitivity, n));
}
