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

char *
dp_value_text_delimited(char letter, const char *text)
{
	return psprintf("%c%zu:%s", letter, strlen(text), text);
}

char *
dp_value_text_of(Oid type, Datum value, bool isnull, bool is_compared)
{
	Oid output;
	bool varlena;
	float8 number;
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
		case FLOAT8OID:
			number = getBaseType(type) == FLOAT4OID ? DatumGetFloat4(value)
													: DatumGetFloat8(value);
			text = palloc(DP_EXACT_DECIMAL_SIZE);
			dp_exact_decimal(number, text);
			if (!is_compared && number == 0 && signbit(number))
				text = pstrdup("-0");
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

Oid
dp_value_text_type(Oid type)
{
	type = getBaseType(type);
	return type < FirstNormalObjectId ? type : InvalidOid;
}

Oid
dp_value_text_kind(Oid type)
{
	type = dp_value_text_type(type);
	switch (type)
	{
		case INT2OID:
		case INT4OID:
			return INT8OID;
		case VARCHAROID:
			return TEXTOID;
		default:
			return type;
	}
}

/* What a value is compared as. Types of users go by name. */
static const char *
word_of(Oid type)
{
	switch (dp_value_text_kind(type))
	{
		case INT8OID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
			return "";
		case TEXTOID:
		case NAMEOID:
		case UNKNOWNOID:
			return "t";
		case InvalidOid:
			return dp_value_text_delimited(
				'y', format_type_extended(getBaseType(type), -1,
										  FORMAT_TYPE_FORCE_QUALIFY));
		default:
			return psprintf("%u:", getBaseType(type));
	}
}

char *
dp_value_text_of_constant(const Const *constant, bool is_compared)
{
	char *text = dp_value_text_of(constant->consttype, constant->constvalue,
								  constant->constisnull, is_compared);

	return constant->constisnull
			   ? text
			   : psprintf("%s%s", word_of(constant->consttype), text);
}
