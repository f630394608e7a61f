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

/* Finds whole rows, which show what their columns are called: row_to_json(). */
static bool
shows_names(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return ((Var *) node)->varattno == InvalidAttrNumber;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, shows_names, context, 0);
	return expression_tree_walker(node, shows_names, context);
}

static bool
remove_names(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, TargetEntry))
		((TargetEntry *) node)->resname = NULL;
	if (IsA(node, RangeTblEntry))
	{
		((RangeTblEntry *) node)->alias = NULL;
		((RangeTblEntry *) node)->eref = makeAlias("", NIL);
		return false;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, remove_names, context,
								 QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, remove_names, context);
}

static bool
add_parameters(Node *node, List **parameters)
{
	if (node == NULL)
		return false;
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXTERN)
		*parameters = list_append_unique(*parameters, node);
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, add_parameters, parameters, 0);
	return expression_tree_walker(node, add_parameters, parameters);
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

Node *
dp_text_public(const DpPublicRows *rows)
{
	Query *statement = copyObject(rows->statement);
	List *parameters = NIL;
	char *label;

	if (OidIsValid(rows->relation) && rows->is_whole)
		return dp_text_list(
			linitial_node(RangeTblEntry, statement->rtable)->inh ? "=table"
																 : "=only",
			list_make1(makeString(psprintf("%u", rows->relation))));
	if (!shows_names((Node *) statement, NULL))
		(void) remove_names((Node *) statement, NULL);
	(void) add_parameters((Node *) statement, &parameters);
	label = dp_text_hash(text_without_places(nodeToString(statement)));

	/*
	 * Rows that the asker may not read all of, or that were private answers a
	 * moment ago: nobody can ask the same question with a guess at them written
	 * out.
	 */
	if (!rows->is_shown && !OidIsValid(rows->relation))
		label = psprintf("%s hidden", label);
	if (rows->is_of_role)
		label = psprintf("%s of %u", label, GetUserId());
	return dp_text_list("=query", lcons(makeString(label), parameters));
}
