/*
 * text_public.c
 *		What public rows are called in canonical forms.
 *
 * A relation that is read whole, by its number in the catalogs; all else by the
 * tree of its query, as the server writes it, without names and places in the
 * statement's text; and by the parameters in it.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"

#include "gate/facts/text_scope.h"
#include "server/search.h"

/* Finds whole rows, which show what their columns are called: row_to_json(). */
static DpVisit
find_names(Node *node, const List *around, void *context)
{
	(void) around;
	(void) context;
	return IsA(node, Var) && ((Var *) node)->varattno == InvalidAttrNumber
			   ? DP_VISIT_FOUND
			   : DP_VISIT_PARTS;
}

static DpVisit
remove_names(Node *node, const List *around, void *context)
{
	(void) around;
	(void) context;
	if (IsA(node, TargetEntry))
		((TargetEntry *) node)->resname = NULL;
	if (IsA(node, RangeTblEntry))
	{
		((RangeTblEntry *) node)->alias = NULL;
		((RangeTblEntry *) node)->eref = makeAlias("", NIL);
	}
	return DP_VISIT_PARTS;
}

/*
 * The server's text of a tree without " :location 17". Spaces in names have a
 * backslash before them.
 */
static char *
text_without_places(const char *text)
{
	static const char field[] = " :location ";
	StringInfoData result;
	const char *found;

	initStringInfo(&result);
	while ((found = strstr(text, field)) != NULL)
	{
		bool is_name = found > text && found[-1] == '\\';
		const char *rest = found + strlen(field);

		appendBinaryStringInfo(&result, text,
							   (int) ((is_name ? rest : found) - text));
		text = is_name ? rest : rest + strspn(rest, "-0123456789");
	}
	appendStringInfoString(&result, text);
	return result.data;
}

/* A query's tree in letters, without what it does not depend on. */
static char *
hash_of(Query *statement)
{
	if (!dp_search((Node *) statement, find_names, NULL, 0))
		(void) dp_search((Node *) statement, remove_names, NULL,
						 QTW_EXAMINE_RTES_BEFORE);
	return dp_text_hash(text_without_places(nodeToString(statement)));
}

Node *
dp_text_query(const Query *query)
{
	Query *statement = copyObject((Query *) query);
	Node *label = (Node *) makeString(hash_of(statement));

	return dp_text_list("=query",
						lcons(label, dp_search_params((Node *) statement)));
}

Node *
dp_text_public(const DpPublicRows *rows)
{
	Query *statement = copyObject(rows->statement);
	char *label;

	if (OidIsValid(rows->relation) && rows->is_whole)
		return dp_text_list(
			linitial_node(RangeTblEntry, statement->rtable)->inh ? "=table"
																 : "=only",
			list_make1(makeString(psprintf("%u", rows->relation))));
	label = hash_of(statement);

	/*
	 * Rows that the asker may not read all of, or that were private answers a
	 * moment ago: nobody can ask the same question with a guess at them written
	 * out.
	 */
	if (!rows->is_shown && !OidIsValid(rows->relation))
		label = psprintf("%s hidden", label);
	if (rows->is_of_role)
		label = psprintf("%s of %u", label, GetUserId());
	return dp_text_list("=query", lcons(makeString(label),
										dp_search_params((Node *) statement)));
}
