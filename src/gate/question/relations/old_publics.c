/*
 * old_publics.c
 *		How the old reading copies what is public; to be deleted with it.
 */
#include "postgres.h"

#include <openssl/sha.h>

#include "catalog/pg_class.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_oper.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"

#include "gate/question/relations/locations.h"
#include "gate/question/relations/plain_text.h"
#include "gate/question/relations/publics.h"
#include "gate/question/relations/row_copies.h"
#include "gate/question/relations/shown.h"

static bool
oids_walker(Node *node, StringInfo oids)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		const RangeTblEntry *rte = (const RangeTblEntry *) node;

		if (rte->rtekind == RTE_RELATION)
			appendStringInfo(oids, " %u", rte->relid);
		if (rte->securityQuals != NIL) /* of this role */
			appendStringInfo(oids, " %u %s", GetUserId(),
							 nodeToString(rte->securityQuals));
		return false;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, oids_walker, oids,
								 QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, oids_walker, oids);
}

/* A hash of a query's text and of what it reads. */
static char *
label_of(Query *rows)
{
	unsigned char hash[SHA256_DIGEST_LENGTH];
	StringInfoData text;
	StringInfoData label;
	int nest = dp_gate_begin_plain_texts();
	int i;

	initStringInfo(&text);
	initStringInfo(&label);
	(void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET,
							 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	appendStringInfoString(&text, pg_get_querydef(copyObject(rows), false));
	(void) oids_walker((Node *) rows, &text);
	AtEOXact_GUC(true, nest);
	SHA256((unsigned char *) text.data, text.len, hash);
	appendStringInfoChar(&label, 'q');
	for (i = 0; i < SHA256_DIGEST_LENGTH; i++)
		appendStringInfo(&label, "%02x", hash[i]);
	return label.data;
}

static DpPublic *
add_public(DpRelations *relations, Query *rows, const char *name)
{
	DpPublic *result = dp_gate_make_public(rows, name);
	const RangeTblEntry *rte = linitial_node(RangeTblEntry, rows->rtable);

	if (rte->rtekind == RTE_RELATION && list_length(rows->rtable) == 1 &&
		rte->tablesample == NULL && rte->securityQuals == NIL)
	{
		result->relation = rte->relid;
		result->label = psprintf("t%u%s", rte->relid, rte->inh ? "" : "o");
	}
	if (result->label == NULL || rows->jointree->quals != NULL)
		result->label = label_of(rows);
	result->is_whole = result->label[0] == 't';
	relations->publics = lappend(relations->publics, result);
	return result;
}

DpPublic *
dp_gate_read_public(Query *query, int rtindex, List *conditions,
					DpRelations *relations)
{
	RangeTblEntry *rte = rt_fetch(rtindex, query->rtable);
	List *own = copyObject(conditions);
	DpPublic *public;
	Query *rows;

	dp_gate_check_public(rte, dp_gate_location_of_entry(query, rtindex));
	ChangeVarNodes((Node *) own, rtindex, 1, 0);
	rows = dp_gate_copy_query(query, rtindex, own);
	dp_gate_check_public_privileges(rows);
	public = add_public(relations, rows,
						rte->alias != NULL || rte->rtekind != RTE_RELATION
							? rte->eref->aliasname
							: get_rel_name(rte->relid));
	public->is_shown = dp_gate_is_shown(query, rte);
	dp_gate_read_copy(rte, rows,
					  dp_gate_public_name(list_length(relations->publics)));
	return public;
}

void
dp_gate_hide_public(DpPublic *public)
{
	if (!public->is_shown)
		return;
	public->is_shown = false;
	public->label = psprintf("%sh", public->label);
}

Query *
dp_gate_read_public_query(Query *query, DpRelations *relations)
{
	Query *around = makeNode(Query);
	Query *outer;
	RangeTblEntry *rte = makeNode(RangeTblEntry);
	int i;

	rte->rtekind = RTE_SUBQUERY;
	rte->subquery = query;
	rte->eref = makeAlias("dp_public", NIL);
	for (i = 1; i <= list_length(query->targetList); i++)
		rte->eref->colnames =
			lappend(rte->eref->colnames, makeString(psprintf("c%d", i)));
	around->rtable = list_make1(rte);
	outer = dp_gate_copy_query(around, 1, NIL);
	(void) dp_gate_read_public(outer, 1, NIL, relations);
	return outer;
}

void
dp_gate_trim_publics(DpRelations *relations, List *statements)
{
	ListCell *cell;

	foreach (cell, relations->publics)
	{
		const DpPublic *public = lfirst(cell);
		DpReading reading = {
			.name = dp_gate_public_name(foreach_current_index(cell) + 1)};

		dp_gate_find_columns(statements, &reading);
		dp_gate_keep_columns(public->rows, reading.columns);
	}
}

Query *
dp_gate_public_values(const DpPublic *public, AttrNumber column)
{
	Query *query = copyObject(public->rows);
	SortGroupClause *order = makeNode(SortGroupClause);
	TargetEntry *entry =
		copyObject(list_nth_node(TargetEntry, query->targetList, column - 1));

	entry->resno = 1;
	entry->resname = pstrdup("k");
	entry->ressortgroupref = order->tleSortGroupRef = 1;
	get_sort_group_operators(exprType((Node *) entry->expr), true, true, false,
							 &order->sortop, &order->eqop, NULL,
							 &order->hashable);
	query->targetList = list_make1(entry);
	query->sortClause = list_make1(order);
	return query;
}
