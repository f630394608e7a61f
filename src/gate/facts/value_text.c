/*
 * value_text.c
 *		Values as parts of canonical forms.
 */
#include "postgres.h"

#include <math.h>

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "core/exact_decimal.h"
#include "expressions/guards.h"
#include "gate/facts/value_text.h"

int
dp_value_text_begin(void)
{
	static const char *const settings[][2] = {
		{"DateStyle", "ISO, YMD"},
		{"IntervalStyle", "postgres"},
		{"extra_float_digits", "1"},
		{"TimeZone", "UTC"},
	};
	int nest = NewGUCNestLevel();
	size_t i;

	for (i = 0; i < lengthof(settings); i++)
		(void) set_config_option(settings[i][0], settings[i][1], PGC_USERSET,
								 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0,
								 false);
	return nest;
}

char *
dp_value_text_delimited(char letter, const char *text)
{
	return psprintf("%c%zu:%s", letter, strlen(text), text);
}

static char *
float_text(float8 value, bool is_compared)
{
	char *text = palloc(DP_EXACT_DECIMAL_SIZE);

	if (!is_compared && value == 0 && signbit(value))
		return pstrdup("-0");
	dp_exact_decimal(value, text);
	return text;
}

char *
dp_value_text_of(Oid type, Datum value, bool isnull, bool is_compared)
{
	Oid output;
	bool varlena;
	char *text;

	if (isnull)
		return pstrdup("null");
	getTypeOutputInfo(type, &output, &varlena);
	if (varlena && dp_guard_size(value) > DP_GUARD_VALUE)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a constant or parameter of a question about a "
							   "protected relation is too long"),
						errdetail("It may have %d MB.",
								  (int) (DP_GUARD_VALUE / 1024 / 1024)),
						errhint("Nothing was charged. Write a shorter one.")));
	switch (getBaseType(type))
	{
		case FLOAT4OID:
			text = float_text(DatumGetFloat4(value), is_compared);
			break;
		case FLOAT8OID:
			text = float_text(DatumGetFloat8(value), is_compared);
			break;
		case NUMERICOID:
			text = is_compared ? numeric_normalize(DatumGetNumeric(value))
							   : OidOutputFunctionCall(output, value);
			break;
		case BPCHAROID:
			if (is_compared)
				value = DirectFunctionCall1(rtrim1, value);
			text = OidOutputFunctionCall(F_TEXTOUT, value);
			break;
		default:
			text = OidOutputFunctionCall(output, value);
			break;
	}
	return dp_value_text_delimited('k', text);
}

static const char *
kind_of(Oid type)
{
	type = getBaseType(type);
	switch (type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
			return "";
		case TEXTOID:
		case VARCHAROID:
		case NAMEOID:
		case UNKNOWNOID:
			return "t";
		default:
			return type < FirstNormalObjectId
					   ? psprintf("%u:", type)
					   : dp_value_text_delimited(
							 'y', format_type_extended(
									  type, -1, FORMAT_TYPE_FORCE_QUALIFY));
	}
}

char *
dp_value_text_of_constant(const Const *constant, bool is_compared)
{
	char *text = dp_value_text_of(constant->consttype, constant->constvalue,
								  constant->constisnull, is_compared);

	return constant->constisnull
			   ? text
			   : psprintf("%s%s", kind_of(constant->consttype), text);
}
