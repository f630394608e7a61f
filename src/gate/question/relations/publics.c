/*
 * publics.c
 *		What is public in a block, and its copies.
 */
#include "postgres.h"

#include <openssl/sha.h>

#include "access/transam.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_class.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_oper.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"

#include "gate/question/relations/locations.h"
#include "gate/question/relations/plain_text.h"
#include "gate/question/relations/protection.h"
#include "gate/question/relations/publics.h"
#include "gate/question/relations/refusal.h"
#include "gate/question/relations/release_call.h"
#include "gate/question/relations/row_copies.h"
#include "gate/question/relations/shown.h"
#include "server/compat.h"

/* The functions of the node in plans. */

static void
copy_public(ExtensibleNode *to, const ExtensibleNode *from)
{
	DpPublic *new = (DpPublic *) to;
	const DpPublic *old = (const DpPublic *) from;

	new->name = pstrdup(old->name);
	new->label = old->label == NULL ? NULL : pstrdup(old->label);
	new->params = copyObject(old->params);
	new->relation = old->relation;
	new->key = list_copy(old->key);
	new->is_whole = old->is_whole;
	new->is_shown = old->is_shown;
	new->rows = copyObject(old->rows);
}

static bool
equal_public(const ExtensibleNode *a, const ExtensibleNode *b)
{
	return a == b;
}

static void
out_public(StringInfo buffer, const ExtensibleNode *node)
{
	(void) buffer; /* see gate/release/release_plan.h */
	(void) node;
}

static void
read_public(ExtensibleNode *node)
{
	(void) node;
	elog(ERROR, "a DP Public cannot be read from text");
}

static const ExtensibleNodeMethods methods = {
	.extnodename = DP_PUBLIC_NAME,
	.node_size = sizeof(DpPublic),
	.nodeCopy = copy_public,
	.nodeEqual = equal_public,
	.nodeOut = out_public,
	.nodeRead = read_public,
};

void
dp_gate_public_init(void)
{
	RegisterExtensibleNodeMethods(&methods);
}

char *
dp_gate_public_name(int number)
{
	return psprintf("dp_public_%d", number);
}

bool
dp_gate_is_public_name(const char *name)
{
	return dp_gate_public_number(name) > 0;
}

int
dp_gate_public_number(const char *name)
{
	return strncmp(name, "dp_public_", 10) == 0
			   ? (int) strtol(name + 10, NULL, 10)
			   : 0;
}

DpPublic *
dp_gate_public_of(const DpRelations *relations, const RangeTblEntry *rte)
{
	if (rte->rtekind != RTE_NAMEDTUPLESTORE ||
		!dp_gate_is_public_name(rte->enrname))
		return NULL;
	return list_nth(relations->publics,
					dp_gate_public_number(rte->enrname) - 1);
}

/* The functions that tell what is public. */

static bool
reads_protected_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		RangeTblEntry *rte = (RangeTblEntry *) node;

		if (OidIsValid(dp_gate_protected_view(rte)))
			return true;
		return rte->rtekind == RTE_RELATION &&
			   (rte->relkind == RELKIND_RELATION ||
				rte->relkind == RELKIND_PARTITIONED_TABLE ||
				rte->relkind == RELKIND_FOREIGN_TABLE) &&
			   dp_gate_is_protected(rte->relid);
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, reads_protected_walker,
								 context, QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, reads_protected_walker, context);
}

bool
dp_gate_reads_protected(Query *query)
{
	return reads_protected_walker((Node *) query, NULL);
}

/* Finds columns and names of WITH from outside a query, so many levels out. */
static bool
outward_walker(Node *node, int *depth)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Var:
			return (int) ((Var *) node)->varlevelsup > *depth;
		case T_Aggref:
			if ((int) ((Aggref *) node)->agglevelsup > *depth)
				return true;
			break;
		case T_GroupingFunc:
			if ((int) ((GroupingFunc *) node)->agglevelsup > *depth)
				return true;
			break;
		case T_RangeTblEntry:
			return ((RangeTblEntry *) node)->rtekind == RTE_CTE &&
				   (int) ((RangeTblEntry *) node)->ctelevelsup > *depth;
		case T_Query:
		{
			bool result;

			(*depth)++;
			result = query_tree_walker((Query *) node, outward_walker, depth,
									   QTW_EXAMINE_RTES_BEFORE);
			(*depth)--;
			return result;
		}
		default:
			break;
	}
	return expression_tree_walker(node, outward_walker, depth);
}

bool
dp_gate_refers_outward(Query *query)
{
	int depth = -1;

	return outward_walker((Node *) query, &depth);
}

/* The same for an entry of FROM, which may refer to its neighbours, too. */
static bool
entry_refers_outward(const RangeTblEntry *rte)
{
	int depth = -1;
	int own = 0;
	RangeTblEntry *plain = copyObject((RangeTblEntry *) rte);

	plain->securityQuals = NIL; /* they name its own columns */
	return rte->lateral ||
		   range_table_walker(list_make1(plain), outward_walker, &depth,
							  QTW_EXAMINE_RTES_BEFORE) ||
		   outward_walker((Node *) rte->securityQuals, &own);
}

static bool
is_release_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, FuncExpr))
		return ((FuncExpr *) node)->funcid == *(Oid *) context ||
			   expression_tree_walker(node, is_release_walker, context);
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, is_release_walker, context, 0);
	return expression_tree_walker(node, is_release_walker, context);
}

bool
dp_gate_reads_release(Query *query)
{
	Oid release = dp_gate_release_function();

	return is_release_walker((Node *) query, &release);
}

bool
dp_gate_has_one_row(const Query *query)
{
	return query->hasAggs && query->groupClause == NIL &&
		   query->groupingSets == NIL && query->setOperations == NULL &&
		   !query->hasTargetSRFs;
}

bool
dp_gate_is_public(const RangeTblEntry *rte)
{
	List *entries = list_make1((void *) rte);
	bool result;

	result = !range_table_walker(entries, reads_protected_walker, NULL,
								 QTW_EXAMINE_RTES_BEFORE);
	list_free(entries);
	return result;
}

/* Rows of a trigger's statement, which only its own queries can name. */
static bool
is_transition_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
		return ((RangeTblEntry *) node)->rtekind == RTE_NAMEDTUPLESTORE;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, is_transition_walker, context,
								 QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, is_transition_walker, context);
}

void
dp_gate_check_public(const RangeTblEntry *rte, int location)
{
	Oid release = dp_gate_release_function();
	List *entries = list_make1((void *) rte);

	if (range_table_walker(entries, is_transition_walker, NULL,
						   QTW_EXAMINE_RTES_BEFORE))
		dp_gate_refuse("a transition table", "Copy its rows to a table.",
					   location);
	if (rte->rtekind == RTE_CTE)
		dp_gate_refuse("a WITH query that is recursive or volatile, or that "
					   "has a private answer and is used twice,",
					   "Write its query as a sub-query, or its answer as a "
					   "value; or store its rows in a table first.",
					   location);
	if (entry_refers_outward(rte))
		dp_gate_refuse(
			"LATERAL, or a sub-query in FROM that refers to an outer query,",
			"Join it by conditions of the columns instead, such as JOIN "
			"(VALUES "
			"('a'), ('b')) AS t (x) ON x = ANY (xs) for unnest(xs).",
			location);
	if (range_table_walker(entries, is_release_walker, &release, 0))
		dp_gate_refuse(
			"a sub-query over private answers with columns of record types",
			"Leave out columns of record types: all others can be joined.",
			location);
	list_free(entries);
}

static bool
params_walker(Node *node, List **params)
{
	if (node == NULL)
		return false;
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXTERN)
	{
		*params = list_append_unique(*params, node);
		return false;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, params_walker, params, 0);
	return expression_tree_walker(node, params_walker, params);
}

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

DpPublic *
dp_gate_make_public(Query *rows, const char *name)
{
	DpPublic *result = (DpPublic *) newNode(sizeof(DpPublic), T_ExtensibleNode);

	result->extensible.extnodename = DP_PUBLIC_NAME;
	result->name = pstrdup(name);
	result->rows = rows;
	(void) params_walker((Node *) rows, &result->params);
	return result;
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

void
dp_gate_check_public_privileges(const Query *rows)
{
	Oid refused = dp_compat_refused_by_query(rows);

	if (OidIsValid(refused))
		aclcheck_error(ACLCHECK_NO_PRIV,
					   get_relkind_objtype(get_rel_relkind(refused)),
					   get_rel_name(refused));
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
