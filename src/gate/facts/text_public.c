/*
 * text_public.c
 *		What public rows are called in canonical forms.
 *
 * A relation that is read whole, by its number in the catalogs; all else by the
 * text of its query, with the numbers of what it reads, and its parameters. Names
 * that only the question has are left out of it.
 */
#include "postgres.h"

#include <openssl/sha.h>

#include "access/sysattr.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/guc.h"
#include "utils/ruleutils.h"

#include "gate/facts/text_forms.h"
#include "gate/facts/value_text.h"

/* What a query reads. */
typedef struct Reading
{
	StringInfo numbers; /* of relations, and of policies of this role */
	List *params;
} Reading;

static bool
reading_walker(Node *node, Reading *reading)
{
	if (node == NULL)
		return false;
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXTERN)
	{
		reading->params = list_append_unique(reading->params, node);
		return false;
	}
	if (IsA(node, RangeTblEntry))
	{
		const RangeTblEntry *rte = (const RangeTblEntry *) node;

		if (rte->rtekind == RTE_RELATION)
			appendStringInfo(reading->numbers, " %u", rte->relid);
		if (rte->securityQuals != NIL)
			appendStringInfo(reading->numbers, " %u %s", GetUserId(),
							 nodeToString(rte->securityQuals));
		return false;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, reading_walker, reading,
								 QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, reading_walker, reading);
}

/*
 * Names
 */

/* Whether an entry is an item of FROM, not what the server adds to these. */
static bool
is_item(const RangeTblEntry *rte)
{
	switch (rte->rtekind)
	{
		case RTE_RELATION:
		case RTE_SUBQUERY:
		case RTE_FUNCTION:
		case RTE_TABLEFUNC:
		case RTE_VALUES:
		case RTE_CTE:
			return true;
		default:
			return false;
	}
}

/* Gives the entries of FROM names by their places. */
static bool
rename_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		ListCell *cell;

		foreach (cell, ((Query *) node)->rtable)
		{
			RangeTblEntry *rte = lfirst_node(RangeTblEntry, cell);

			if (!is_item(rte))
				continue;
			if (rte->alias == NULL)
				rte->alias = makeAlias("", NIL);
			rte->alias->aliasname =
				psprintf("r%d", foreach_current_index(cell) + 1);
			rte->eref->aliasname = rte->alias->aliasname;
		}
		return query_tree_walker((Query *) node, rename_walker, context, 0);
	}
	return expression_tree_walker(node, rename_walker, context);
}

static List *
column_names(int count)
{
	List *names = NIL;
	int i;

	for (i = 1; i <= count; i++)
		names = lappend(names, makeString(psprintf("c%d", i)));
	return names;
}

/*
 * Gives the columns of the only entry of FROM names by their places, unless it
 * is a relation, or something might show them: row_to_json() of the whole row.
 */
static void
rename_columns(Query *statement)
{
	RangeTblEntry *rte = linitial_node(RangeTblEntry, statement->rtable);
	Bitmapset *columns = NULL;
	ListCell *cell;

	pull_varattnos((Node *) statement->jointree, 1, &columns);
	if (rte->rtekind == RTE_RELATION || rte->rtekind == RTE_CTE ||
		bms_is_member(0 - FirstLowInvalidHeapAttributeNumber, columns))
		return;
	rte->alias = makeAlias("r1", NIL);
	rte->eref = makeAlias("r1", column_names(list_length(rte->eref->colnames)));
	if (rte->rtekind != RTE_SUBQUERY)
		return;
	foreach (cell, rte->subquery->targetList)
		lfirst_node(TargetEntry, cell)->resname =
			psprintf("c%d", foreach_current_index(cell) + 1);
}

/*
 * The columns by their numbers in the only entry of FROM; NIL: there are
 * others. Then the statement's columns are left out of its text, since other
 * questions about the same rows may name others of them.
 */
static List *
columns_of_entry(Query *statement)
{
	List *columns = NIL;
	ListCell *cell;

	if (list_length(statement->rtable) != 1)
		return NIL;
	foreach (cell, statement->targetList)
	{
		const TargetEntry *entry = lfirst_node(TargetEntry, cell);
		const Var *column = (const Var *) entry->expr;

		if (entry->resjunk || !IsA(column, Var) || column->varlevelsup != 0)
			return NIL;
		columns =
			lappend(columns, makeString(psprintf("n%d", column->varattno)));
	}
	statement->targetList = NIL;
	rename_columns(statement);
	return columns;
}

static List *
columns_by_place(const DpPublicRows *rows)
{
	List *columns = NIL;
	int i;

	for (i = 0; i < rows->node.ncolumns; i++)
		columns = lappend(columns, makeString(psprintf("m%d", i + 1)));
	return columns;
}

/* A hash of a query's text and of what it reads. */
static char *
label_of(Query *statement, List **params)
{
	unsigned char hash[SHA256_DIGEST_LENGTH];
	StringInfoData text;
	StringInfoData label;
	Reading reading = {&text, NIL};
	int nest = dp_value_text_begin();
	int i;

	initStringInfo(&text);
	initStringInfo(&label);
	(void) rename_walker((Node *) statement, NULL);
	(void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET,
							 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	appendStringInfoString(&text,
						   pg_get_querydef(copyObject(statement), false));
	(void) reading_walker((Node *) statement, &reading);
	*params = reading.params;
	AtEOXact_GUC(true, nest);
	SHA256((unsigned char *) text.data, text.len, hash);
	appendStringInfoChar(&label, 'q');
	for (i = 0; i < SHA256_DIGEST_LENGTH; i++)
		appendStringInfo(&label, "%02x", hash[i]);
	return label.data;
}

Node *
dp_text_public(const DpPublicRows *rows, List **columns)
{
	Query *statement = copyObject(rows->statement);
	List *params = NIL;
	char *label;

	*columns = columns_of_entry(statement);
	if (*columns == NIL)
		*columns = columns_by_place(rows);
	if (OidIsValid(rows->relation) && rows->is_whole)
		return (Node *) makeString(psprintf(
			"t%u%s", rows->relation,
			linitial_node(RangeTblEntry, statement->rtable)->inh ? "" : "o"));
	label = label_of(statement, &params);

	/*
	 * Rows that the asker may not read all of, or that were private answers a
	 * moment ago: nobody can ask the same question with a guess at them written
	 * out.
	 */
	if (!rows->is_shown && !OidIsValid(rows->relation))
		label = psprintf("%sh", label);
	return (Node *) dp_text_list(psprintf("=%s", label), params);
}
