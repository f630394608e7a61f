/*
 * refusal.c
 *		Refuses a part of a statement, and says where it is written.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"

#include "gate/relations/refusal.h"

/*
 * The text of the statement that is being planned. Whoever sets it restores
 * the previous one, also after an error: the text is freed with its statement.
 */
static const char *query_text = NULL;

const char *
dp_refusal_set_query_text(const char *text)
{
	const char *previous = query_text;

	query_text = text;
	return previous;
}

int
dp_refusal_cursor(int location)
{
	if (location < 0 || query_text == NULL)
		return 0;
	return pg_mbstrlen_with_len(query_text, location) + 1;
}

int
dp_refusal_position(int location)
{
	return errposition(dp_refusal_cursor(location));
}

void
dp_refusal_raise(const char *what, const char *hint, int location)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		 errmsg("%s cannot be used in a query over a protected relation", what),
		 errhint("%s", hint), dp_refusal_position(location)));
}
