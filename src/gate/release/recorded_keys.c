/*
 * recorded_keys.c
 *		Writes keys as text; empty in ordinary builds.
 */
#include "postgres.h"

#include "gate/release/recorded_keys.h"
#include "server/compat.h"

#ifdef DP_RECORD

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "gate/question/keys/key.h"

char *
dp_recorded_keys_text(List *keys, const Datum *values, const bool *nulls)
{
	StringInfoData text;

	initStringInfo(&text);
	foreach_ptr (DpKey, one, keys)
	{
		int i = foreach_current_index(one);
		Oid output;
		bool varlena;

		getTypeOutputInfo(exprType(one->expression), &output, &varlena);
		appendStringInfo(&text, "%s%s", i == 0 ? "" : ",",
						 nulls[i] ? "null"
								  : OidOutputFunctionCall(output, values[i]));
	}
	return text.data;
}

#endif
