/*
 * answers.c
 *		Private answers among what is public in a block.
 *
 * Tools ask for the largest groups first and join them to the table again, or
 * name them in an IN. The rows of a release exist only while their statement
 * runs, and its number is different each time; but as a value they can be part
 * of a question. jsonb can hold rows of the server's own types, and returns
 * them unchanged.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "gate/question/expressions/constants.h"
#include "gate/question/relations/publics.h"
#include "gate/question/relations/release_call.h"
#include "gate/question/relations/row_copies.h"
#include "gate/question/rows/answers.h"

/* A query of all columns of one entry of FROM, named c1, c2 and so on. */
static Query *
columns_of(RangeTblEntry *rte)
{
	Query *from = makeNode(Query);

	from->rtable = list_make1(rte);
	return dp_gate_copy_query(from, 1, NIL);
}

/* A query of all columns of another one; EXISTS may have one without any. */
static Query *
query_around(Query *query)
{
	RangeTblEntry *rte = makeNode(RangeTblEntry);
	int i;

	if (query->targetList == NIL)
		query->targetList = list_make1(makeTargetEntry(
			(Expr *) makeBoolConst(true, false), 1, pstrdup("c1"), false));
	rte->rtekind = RTE_SUBQUERY;
	rte->subquery = query;
	rte->eref = makeAlias("dp_answer", NIL);
	for (i = 1; i <= list_length(query->targetList); i++)
		rte->eref->colnames =
			lappend(rte->eref->colnames, makeString(psprintf("c%d", i)));
	return columns_of(rte);
}

/*
 * Rows of pseudo-types, such as record, do not come back from a jsonb; and
 * users' types may be converted to jsonb and back by their owners' code.
 */
static bool
has_plain_types(const Query *rows)
{
	ListCell *cell;

	foreach (cell, rows->targetList)
	{
		Oid type = exprType((Node *) lfirst_node(TargetEntry, cell)->expr);

		if (type >= FirstNormalObjectId || get_typtype(type) == TYPTYPE_PSEUDO)
			return false;
	}
	return true;
}

/* SELECT jsonb_agg(ROW(c1, c2)), of the rows that a query has. */
static SubLink *
value_of(const Query *rows)
{
	SubLink *link = makeNode(SubLink);
	Query *query = copyObject((Query *) rows);
	RowExpr *row = makeNode(RowExpr);
	Aggref *aggref = makeNode(Aggref);
	ListCell *cell;

	row->row_typeid = RECORDOID;
	row->row_format = COERCE_EXPLICIT_CALL;
	row->location = -1;
	foreach (cell, query->targetList)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);

		row->args = lappend(row->args, entry->expr);
		row->colnames =
			lappend(row->colnames, makeString(pstrdup(entry->resname)));
	}
	aggref->aggfnoid = F_JSONB_AGG;
	aggref->aggtype = JSONBOID;
	aggref->aggargtypes = list_make1_oid(RECORDOID);
	aggref->args = list_make1(makeTargetEntry((Expr *) row, 1, NULL, false));
	aggref->aggkind = AGGKIND_NORMAL;
	aggref->aggsplit = AGGSPLIT_SIMPLE;
	aggref->aggno = aggref->aggtransno = -1;
	aggref->location = -1;
	query->targetList =
		list_make1(makeTargetEntry((Expr *) aggref, 1, pstrdup("c1"), false));
	query->hasAggs = true;
	link->subLinkType = EXPR_SUBLINK;
	link->subselect = (Node *) query;
	link->location = -1;
	return link;
}

/* jsonb_to_recordset(value) AS (c1 ..., c2 ...) */
static RangeTblEntry *
rows_from(Param *value, const Query *rows)
{
	List *columns = NIL;
	ListCell *cell;

	foreach (cell, rows->targetList)
		columns = lappend(columns, lfirst_node(TargetEntry, cell)->expr);
	return dp_gate_make_record_call(F_JSONB_TO_RECORDSET, (Expr *) value,
									"dp_answer", columns);
}

Query *
dp_gate_take_answer(Query *query, DpRelations *relations)
{
	Query *rows;

	if (!dp_gate_reads_release(query) || dp_gate_reads_protected(query) ||
		dp_gate_refers_outward(query))
		return query;
	rows = query_around(query);
	if (!has_plain_types(rows))
		return query;
	return columns_of(
		rows_from(dp_gate_take_constant(value_of(rows), relations), rows));
}

void
dp_gate_take_answer_of(Query *query, int rtindex, DpRelations *relations)
{
	RangeTblEntry *rte = rt_fetch(rtindex, query->rtable);

	if (rte->rtekind == RTE_SUBQUERY && !rte->lateral)
		rte->subquery = dp_gate_take_answer(rte->subquery, relations);
}
