/*
 * placed.c
 *		Puts the releases of a question in the place of its rows.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"

#include "gate/bound/placed.h"
#include "gate/bound/written.h"
#include "gate/question/keys/key.h"
#include "gate/question/relations/release_call.h"
#include "server/compat.h"

/* The released rows of one grouping, in FROM. */
static RangeTblEntry *
release_of(const DpBlock *block, int64 number)
{
	const DpOutline *outline = &block->outline;

	return dp_gate_make_release(
		list_concat(dp_gate_release_columns(outline->keys, outline->aggregates),
					outline->ends->types),
		number);
}

static void
read_from(Query *query, RangeTblEntry *rte)
{
	RangeTblRef *ref = makeNode(RangeTblRef);

	ref->rtindex = 1;
	query->rtable = list_make1(rte);
	query->jointree = makeFromExpr(list_make1(ref), NULL);
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
	Query *part = makeNode(Query);
	int columns = 0;
	int key = 0;
	ListCell *cell;

	part->commandType = CMD_SELECT;
	part->querySource = QSRC_ORIGINAL;
	part->canSetTag = true;
	read_from(part, release_of(block, number));
	foreach (cell, question->keys)
	{
		DpType type = ((const DpExpr *) lfirst(cell))->type;
		bool is_own = list_member_int(outline->key_numbers, key++);

		(void) dp_written_add_target(
			part,
			column_of(
				(Node *) makeNullConst(type.oid, type.typmod, type.collation),
				is_own, &columns),
			NULL);
	}
	foreach (cell, question->aggregates)
		(void) dp_written_add_target(
			part,
			column_of((Node *) ((const DpAsked *) lfirst(cell))->aggref,
					  outline->aggregates != NIL, &columns),
			NULL);
	foreach (cell, outline->ends->types)
		(void) dp_written_add_target(
			part, column_of(lfirst(cell), true, &columns), NULL);
	(void) dp_written_add_target(
		part,
		(Node *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
						   Int32GetDatum(grouping), false, true),
		NULL);
	return part;
}

static RangeTblEntry *
entry_of(Query *query, const char *name)
{
	RangeTblEntry *rte = makeNode(RangeTblEntry);
	ListCell *cell;

	rte->rtekind = RTE_SUBQUERY;
	rte->subquery = query;
	rte->eref = makeAlias(name, NIL);
	foreach (cell, query->targetList)
		rte->eref->colnames = lappend(
			rte->eref->colnames,
			makeString(pstrdup(lfirst_node(TargetEntry, cell)->resname)));
	return rte;
}

static Node *
reference_to(int number)
{
	RangeTblRef *ref = makeNode(RangeTblRef);

	ref->rtindex = number;
	return (Node *) ref;
}

/* left UNION ALL the entry of that number, which has these targets. */
static Node *
add_operation(Node *left, int number, const List *targets)
{
	SetOperationStmt *operation = makeNode(SetOperationStmt);
	ListCell *cell;

	operation->op = SETOP_UNION;
	operation->all = true;
	operation->larg = left;
	operation->rarg = reference_to(number);
	foreach (cell, targets)
	{
		const Node *value = (Node *) lfirst_node(TargetEntry, cell)->expr;

		operation->colTypes = lappend_oid(operation->colTypes, exprType(value));
		operation->colTypmods =
			lappend_int(operation->colTypmods, exprTypmod(value));
		operation->colCollations =
			lappend_oid(operation->colCollations, exprCollation(value));
	}
	return (Node *) operation;
}

/* The rows of all groupings, one after the other. */
static Query *
union_of(const DpQuestion *question, const List *blocks, const int64 *numbers)
{
	Query *result = makeNode(Query);
	Query *first = NULL;
	Node *together = reference_to(1);
	int columns = 0;
	ListCell *cell;

	result->commandType = CMD_SELECT;
	result->querySource = QSRC_ORIGINAL;
	result->canSetTag = true;
	result->jointree = makeFromExpr(NIL, NULL);
	foreach (cell, blocks)
	{
		int number = foreach_current_index(cell);
		Query *part =
			part_of(question, lfirst(cell), numbers[number], number + 1);

		if (first == NULL)
			first = part;
		else
			together = add_operation(together, number + 1, first->targetList);
		result->rtable = lappend(result->rtable, entry_of(part, "grouping"));
	}
	if (list_length(blocks) == 1)
		return first;
	result->setOperations = together;
	foreach (cell, first->targetList)
		(void) dp_written_add_target(
			result,
			column_of((Node *) lfirst_node(TargetEntry, cell)->expr, true,
					  &columns),
			NULL);
	return result;
}

void
dp_placed_put(Query *query, const DpQuestion *question, const List *blocks,
			  const int64 *numbers)
{
	const DpBlock *block = linitial(blocks);
	Node *having = query->havingQual;
	List *views = dp_compat_view_entries(query);

	if (query->groupingSets != NIL)
		read_from(query,
				  entry_of(union_of(question, blocks, numbers), "groupings"));
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
