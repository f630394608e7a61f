/*
 * column_names.c
 *		Columns by names that people write.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/varlena.h"

#include "server/column_names.h"

PG_FUNCTION_INFO_V1(dp_column_name);

AttrNumber
dp_column_named(Oid relation, const char *text)
{
	AttrNumber column = get_attnum(relation, text);
	List *names;

	/* Identifiers are cut off where they are too long; these are no names. */
	if (column != InvalidAttrNumber ||
		strlen(text) >= NAMEDATALEN + (text[0] == '"' ? 2 : 0) ||
		!SplitIdentifierString(pstrdup(text), '.', &names) ||
		list_length(names) != 1)
		return column;
	return get_attnum(relation, linitial(names));
}

/* (relation regclass, column_name text) -> its name; the text if there is none */
Datum
dp_column_name(PG_FUNCTION_ARGS)
{
	char *name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	AttrNumber column = dp_column_named(PG_GETARG_OID(0), name);

	if (column <= 0)
		PG_RETURN_DATUM(PG_GETARG_DATUM(1));
	PG_RETURN_TEXT_P(
		cstring_to_text(get_attname(PG_GETARG_OID(0), column, false)));
}
