/*
 * deparsed.c
 *		Inner statements as SQL, for developers to read.
 *
 * The server writes queries as the parser makes them: each entry of FROM has a name,
 * and each join an entry with the columns of its two sides. Inner statements have
 * neither where the planner needs none, so a copy gets them first.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "parser/parsetree.h"
#include "utils/ruleutils.h"

#include "gate/hook/deparsed.h"
#include "server/queries.h"
#include "server/search.h"

/* What is no name in SQL becomes one; ctename: that of a query of WITH. */
static void
name_entry(RangeTblEntry *rte)
{
	if (rte->rtekind == RTE_NAMEDTUPLESTORE)
		rte->ctename = psprintf("copy of %s", rte->eref->aliasname);
	else if (rte->rtekind == RTE_RESULT)
		rte->ctename = "one row";
	else if (rte->rtekind == RTE_JOIN)
		rte->ctename = "a join"; /* which gets another entry */
	else
		return;
	rte->rtekind = RTE_CTE;
}

/* The numbers of the columns of an entry that are not dropped. */
static List *
numbers_of_columns(const RangeTblEntry *rte)
{
	List *numbers = NIL;
	ListCell *cell;

	foreach (cell, rte->eref->colnames)
	{
		if (strVal(lfirst(cell))[0] != '\0')
			numbers = lappend_int(numbers, foreach_current_index(cell) + 1);
	}
	return numbers;
}

static List *
names_of_columns(const RangeTblEntry *rte, const List *numbers)
{
	List *names = NIL;
	ListCell *cell;

	foreach (cell, numbers)
		names =
			lappend(names, list_nth(rte->eref->colnames, lfirst_int(cell) - 1));
	return names;
}

/* The entry of one side of a join, which becomes complete. */
static const RangeTblEntry *complete_side(Query *query, Node **side);

static void
complete_join(Query *query, JoinExpr *join)
{
	const RangeTblEntry *left = complete_side(query, &join->larg);
	const RangeTblEntry *right = complete_side(query, &join->rarg);
	RangeTblEntry *rte = makeNode(RangeTblEntry);
	int i;

	/* Behind those of both sides, as the server wants it. */
	query->rtable = lappend(query->rtable, rte);
	join->rtindex = list_length(query->rtable);
	rte->rtekind = RTE_JOIN;
	rte->jointype = join->jointype;
	rte->inFromCl = true;
	rte->joinleftcols = numbers_of_columns(left);
	rte->joinrightcols = numbers_of_columns(right);
	rte->eref =
		makeAlias("unnamed_join",
				  list_concat(names_of_columns(left, rte->joinleftcols),
							  names_of_columns(right, rte->joinrightcols)));
	rte->joinaliasvars = NIL;
	for (i = 0; i < list_length(rte->eref->colnames); i++)
		rte->joinaliasvars =
			lappend(rte->joinaliasvars, makeBoolConst(false, true));
}

static const RangeTblEntry *
complete_side(Query *query, Node **side)
{
	if (IsA(*side, FromExpr))
		*side = dp_query_join(((FromExpr *) *side)->fromlist);
	if (IsA(*side, RangeTblRef))
		return rt_fetch(((RangeTblRef *) *side)->rtindex, query->rtable);
	complete_join(query, castNode(JoinExpr, *side));
	return rt_fetch(((JoinExpr *) *side)->rtindex, query->rtable);
}

static bool
complete(Node *node, void *context)
{
	Query *query = (Query *) node;
	ListCell *cell;

	(void) context;
	if (!IsA(node, Query))
		return false;
	foreach (cell, query->rtable)
		name_entry(lfirst(cell));
	foreach (cell, query->jointree->fromlist)
		(void) complete_side(query, (Node **) &lfirst(cell));
	return false;
}

char *
dp_deparsed(const Query *inner)
{
	Query *copy = (Query *) copyObject(inner);

	(void) dp_search_any((Node *) copy, complete, NULL);
	return pg_get_querydef(copy, true);
}
