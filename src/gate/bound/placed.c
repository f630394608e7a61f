/*
 * placed.c
 *		Puts the releases of a question in the place of its rows.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"

#include "gate/bound/bound.h"
#include "gate/bound/key.h"
#include "gate/relations/release_call.h"
#include "server/compat.h"
#include "server/compat_permissions.h"
#include "server/queries.h"

/* The released rows of one grouping, in FROM. */
static RangeTblEntry *
release_of(const DpBlock *block, int64 number)
{
	const DpOutline *outline = &block->outline;

	return dp_release_call_make(
		list_concat(dp_key_release_columns(outline->keys, outline->aggregates),
					outline->ends->types),
		number);
}

static void
read_from(Query *query, RangeTblEntry *rte)
{
	query->rtable = list_make1(rte);
	query->jointree = makeFromExpr(list_make1(dp_query_reference(1)), NULL);
}

/* A column of the rows of a release, if there is one: else null. */
static Node *
column_of(const Node *typed, bool is_there, int *columns)
{
	Oid type = exprType(typed);
	int32 typmod = exprTypmod(typed);
	Oid collation = exprCollation(typed);

	if (!is_there)
		return (Node *) makeNullConst(type, typmod, collation);
	return (Node *) makeVar(1, (AttrNumber)++ * columns, type, typmod,
							collation, 0);
}

/* All columns that the question has, and the number of the grouping from 1. */
static Query *
part_of(const DpQuestion *question, const DpBlock *block, int64 number,
		int grouping)
{
	const DpOutline *outline = &block->outline;
	Query *part = dp_query_make();
	int columns = 0;
	int key = 0;

	read_from(part, release_of(block, number));
	foreach_ptr (const DpExpr, expr, question->keys)
	{
		DpType type = expr->type;
		bool is_own = list_member_int(outline->key_numbers, key++);

		(void) dp_query_add_target(
			part,
			column_of(
				(Node *) makeNullConst(type.oid, type.typmod, type.collation),
				is_own, &columns),
			NULL);
	}
	foreach_ptr (const DpAsked, asked, question->aggregates)
		(void) dp_query_add_target(part,
								   column_of((Node *) asked->aggref,
											 outline->aggregates != NIL,
											 &columns),
								   NULL);
	foreach_ptr (const Node, node, outline->ends->types)
		(void) dp_query_add_target(part, column_of(node, true, &columns), NULL);
	(void) dp_query_add_target(
		part,
		(Node *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
						   Int32GetDatum(grouping), false, true),
		NULL);
	return part;
}

/* The rows of all groupings, one after the other. */
static Query *
union_of(const DpQuestion *question, const List *blocks, const int64 *numbers)
{
	List *parts = NIL;
	List *columns = NIL;
	ListCell *cell;

	foreach (cell, blocks)
	{
		int number = foreach_current_index(cell);

		parts = lappend(parts, part_of(question, lfirst(cell), numbers[number],
									   number + 1));
	}
	if (list_length(parts) == 1)
		return linitial(parts);
	foreach (cell, linitial_node(Query, parts)->targetList)
		columns = lappend(columns, makeVarFromTargetEntry(1, lfirst(cell)));
	return dp_query_union(parts, columns, "grouping");
}

void
dp_placed_put(Query *query, const DpQuestion *question, const List *blocks,
			  const int64 *numbers)
{
	const DpBlock *block = linitial(blocks);
	Node *having = query->havingQual;
	List *views = dp_compat_view_entries(query);

	if (query->groupingSets != NIL)
		read_from(query, dp_query_entry(union_of(question, blocks, numbers),
										"groupings"));
	else
	{
		read_from(query, release_of(block, numbers[0]));
		if (block->outline.aggregates == NIL) /* but for what counts groups */
			query->targetList = list_truncate(
				query->targetList, list_length(query->targetList) -
									   list_length(question->aggregates));
	}
	dp_compat_drop_permissions(query);
	query->rtable = list_concat(query->rtable, views); /* may it be read? */
	query->jointree->quals = having;
	query->groupClause = query->groupingSets = NIL;
	query->groupDistinct = false;
	query->havingQual = NULL;
	query->hasAggs = false;
	query->hasRowSecurity = false;
}
