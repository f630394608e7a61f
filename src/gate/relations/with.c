/*
 * with.c
 *		Queries of WITH, written out where they are used.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"

#include "gate/relations/private_aggregates.h"
#include "gate/relations/protection.h"
#include "gate/relations/refusal.h"
#include "gate/relations/with.h"
#include "server/any_node.h"
#include "server/compat.h"

/*
 * Entries of range tables that a statement may have when WITH is written out.
 */
#define MOST_ENTRIES 1000

/* Whether a query returns rows of protected relations. */
static bool
reads_rows_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		RangeTblEntry *rte = (RangeTblEntry *) node;

		return OidIsValid(dp_gate_protected_view(rte)) ||
			   (rte->rtekind == RTE_RELATION &&
				dp_gate_is_protected(rte->relid));
	}
	if (IsA(node, Query))
	{
		if (dp_gate_has_private_aggregates((Query *) node))
			return false; /* a block, which is answered */
		return query_tree_walker((Query *) node, reads_rows_walker, context,
								 QTW_EXAMINE_RTES_BEFORE);
	}
	return expression_tree_walker(node, reads_rows_walker, context);
}

/* A query of WITH, which takes the place of its name so many levels down. */
typedef struct Definition
{
	CommonTableExpr *cte;
	int depth;
} Definition;

static bool
write_out_walker(Node *node, Definition *definition)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		definition->depth++;
		(void) query_tree_walker((Query *) node, write_out_walker, definition,
								 QTW_EXAMINE_RTES_AFTER);
		definition->depth--;
		return false;
	}
	if (IsA(node, RangeTblEntry))
	{
		RangeTblEntry *rte = (RangeTblEntry *) node;
		Query *body;

		if (rte->rtekind != RTE_CTE ||
			(int) rte->ctelevelsup != definition->depth ||
			strcmp(rte->ctename, definition->cte->ctename) != 0)
			return false;
		body = (Query *) copyObject(definition->cte->ctequery);
		if (definition->depth > 0)
			IncrementVarSublevelsUp((Node *) body, definition->depth, 1);
		rte->rtekind = RTE_SUBQUERY;
		rte->subquery = body;
		rte->ctename = NULL;
		rte->ctelevelsup = 0;
		rte->coltypes = rte->coltypmods = rte->colcollations = NIL;
		definition->cte->cterefcount--;
		return false;
	}
	return expression_tree_walker(node, write_out_walker, definition);
}

/* Where a name of WITH is used. */
typedef struct Use
{
	const char *name;
	int depth;
	bool in_block; /* in a query with private aggregates, or beneath one */
} Use;

static bool
used_in_block_walker(Node *node, Use *use)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		const RangeTblEntry *rte = (const RangeTblEntry *) node;

		return use->in_block && rte->rtekind == RTE_CTE &&
			   (int) rte->ctelevelsup == use->depth &&
			   strcmp(rte->ctename, use->name) == 0;
	}
	if (IsA(node, Query))
	{
		bool before = use->in_block;
		bool result;

		use->in_block =
			before || dp_gate_has_private_aggregates((Query *) node);
		use->depth++;
		result = query_tree_walker((Query *) node, used_in_block_walker, use,
								   QTW_EXAMINE_RTES_BEFORE);
		use->depth--;
		use->in_block = before;
		return result;
	}
	return expression_tree_walker(node, used_in_block_walker, use);
}

/*
 * Whether a block reads a query of WITH, as rows of its own or as something
 * public.
 */
static bool
is_read_by_block(Query *query, const CommonTableExpr *cte)
{
	Use use = {cte->ctename, -1, false};

	return reads_rows_walker(cte->ctequery, NULL) ||
		   ((cte->cterefcount == 1 ||
			 !dp_gate_asks((Query *) cte->ctequery)) && /* once */
			used_in_block_walker((Node *) query, &use));
}

/* Entries of range tables, at all levels. */
static bool
count_entry(Node *node, void *count)
{
	*(int64 *) count += IsA(node, RangeTblEntry);
	return false;
}

/*
 * Refuses WITH queries that use each other so often that writing them out
 * would grow exponentially.
 */
static void
refuse_growth(Query *query, const CommonTableExpr *cte)
{
	int64 all = 0;
	int64 body = 0;

	CHECK_FOR_INTERRUPTS();
	(void) dp_any_node((Node *) query, count_entry, &all);
	(void) dp_any_node(cte->ctequery, count_entry, &body);
	if (all + body * cte->cterefcount > MOST_ENTRIES)
		dp_gate_refuse("a WITH query that is used so many times",
					   "Refer to each WITH query only a few times.",
					   cte->location);
}

static void
write_out_cte(Query *query, CommonTableExpr *cte)
{
	Definition definition = {cte, -1};

	refuse_growth(query, cte);
	(void) write_out_walker((Node *) query, &definition);
}

static bool
can_be_written_out(const CommonTableExpr *cte)
{
	return !cte->cterecursive &&
		   ((Query *) cte->ctequery)->commandType == CMD_SELECT &&
		   !contain_volatile_functions(cte->ctequery);
}

bool
dp_with_write_out_one(Query *query, CommonTableExpr *cte)
{
	if (!can_be_written_out(cte) || !reads_rows_walker(cte->ctequery, NULL))
		return false;
	write_out_cte(query, cte);
	return true;
}

void
dp_with_write_out(Query *query)
{
	ListCell *cell;

	foreach (cell, query->cteList)
	{
		CommonTableExpr *cte = lfirst_node(CommonTableExpr, cell);

		if (!can_be_written_out(cte) || !is_read_by_block(query, cte))
			continue;
		write_out_cte(query, cte);
		if (cte->cterefcount == 0)
			query->cteList = foreach_delete_current (query->cteList, cell);
	}
}
