/*
 * from.c
 *		FROM and WHERE for the rows of a tree.
 */
#include "postgres.h"

#include "access/table.h"
#include "nodes/makefuncs.h"
#include "parser/parse_relation.h"
#include "utils/rel.h"

#include "gate/bound/combined.h"
#include "gate/bound/from.h"
#include "gate/facts/facts.h"
#include "gate/relations/publics.h"
#include "gate/relations/row_copies.h"
#include "server/compat.h"
#include "server/compat_permissions.h"
#include "server/ownership.h"
#include "server/queries.h"
#include "server/stack.h"

/*
 * Entries
 */

/* A reference in FROM to the last entry of the range table, whose number it is. */
static int
refer_to_last(DpWritten *written)
{
	int rtindex = list_length(written->query->rtable);

	written->from = lappend(written->from, dp_query_reference(rtindex));
	return rtindex;
}

static int
add_entry(DpWritten *written, RangeTblEntry *rte)
{
	rte->inFromCl = true;
	written->query->rtable = lappend(written->query->rtable, rte);
	return refer_to_last(written);
}

static Node **
room_for(const DpNode *node)
{
	return palloc0((node->ncolumns + 1) * sizeof(Node *));
}

static Node *
column_at(int rtindex, AttrNumber attribute, DpType type)
{
	return (Node *) makeVar(rtindex, attribute, type.oid, type.typmod,
							type.collation, 0);
}

/* With its owner's rights; policies are among the conditions, where they count. */
static void
add_scan(DpWritten *written, const DpScan *scan)
{
	ParseState *state = make_parsestate(NULL);
	Relation relation = table_open(scan->relation, NoLock);
	Query *other = makeNode(Query);
	int rtindex;
	int i;

	(void) addRangeTableEntryForRelation(state, relation, AccessShareLock, NULL,
										 true, true);
	table_close(relation, NoLock);
	for (i = 0; i < scan->node.ncolumns; i++)
	{
		if (scan->attributes[i] > 0)
			markVarForSelectPriv(state,
								 (Var *) column_at(1, scan->attributes[i],
												   scan->node.columns[i].type));
	}
	other->rtable = state->p_rtable;
	dp_compat_take_permissions(other, state);
	dp_compat_check_as_user(other, linitial_node(RangeTblEntry, other->rtable),
							dp_owner_of(scan->relation));
	dp_compat_add_range_table(written->query, other);
	free_parsestate(state);
	rtindex = refer_to_last(written);
	written->row = room_for(&scan->node);
	for (i = 0; i < scan->node.ncolumns; i++)
		written->row[i] =
			column_at(rtindex, scan->attributes[i], scan->node.columns[i].type);
}

AttrNumber
dp_from_attribute(const DpPublicRows *rows, int column)
{
	return rows->attributes != NULL ? rows->attributes[column]
									: (AttrNumber) (column + 1);
}

/*
 * The statement of a copy. Where that is of a relation, columns have the numbers
 * that they have there, with nulls in between: the planner is told what is known of
 * the relation's.
 */
static Query *
statement_of(const DpPublicRows *rows)
{
	Query *statement = copyObject(rows->statement);
	List *targets = statement->targetList;

	statement->targetList = NIL;
	foreach_node (TargetEntry, entry, targets)
	{
		int before =
			entry->resjunk ? 0 : dp_from_attribute(rows, entry->resno - 1) - 1;

		while (list_length(statement->targetList) < before)
			(void) dp_query_add_target(
				statement, (Node *) makeNullConst(INT4OID, -1, InvalidOid),
				NULL);
		statement->targetList = lappend(statement->targetList, entry);
		entry->resno = (AttrNumber) list_length(statement->targetList);
	}
	if (targets == NIL)
		(void) dp_query_add_target(
			statement, (Node *) makeNullConst(INT4OID, -1, InvalidOid), NULL);
	return statement;
}

/* The names of a copy's columns, as they are called in the question. */
static List *
names_of(const DpPublicRows *rows, const Query *statement)
{
	List *names = NIL;
	int column = 0;
	int number;

	for (number = 1; number <= list_length(statement->targetList); number++)
	{
		bool is_column = column < rows->node.ncolumns &&
						 dp_from_attribute(rows, column) == number;

		names = lappend(names,
						makeString(pstrdup(
							is_column ? rows->node.columns[column].name : "")));
		column += is_column;
	}
	return names;
}

static void
add_public(DpWritten *written, const DpPublicRows *rows)
{
	RangeTblEntry *rte = makeNode(RangeTblEntry);
	DpCopied *copied = palloc(sizeof(DpCopied));
	int rtindex;
	int i;

	written->row = room_for(&rows->node);
	if (rows->node.ncolumns == 0 && rows->statement->jointree->fromlist == NIL)
	{
		rte->rtekind = RTE_RESULT; /* a row of nothing */
		rte->eref = makeAlias("nothing", NIL);
		(void) add_entry(written, rte);
		return;
	}
	*copied = (DpCopied){rows, statement_of(rows)};
	*written->copied = lappend(*written->copied, copied);
	rte->rtekind = OidIsValid(rows->relation) ? RTE_RELATION : RTE_SUBQUERY;
	rte->relid = rows->relation;
	rte->eref = makeAlias(rows->name, names_of(rows, copied->statement));
	dp_row_copies_read(rte, copied->statement,
					   dp_publics_name(list_length(*written->copied)));
	rtindex = add_entry(written, rte);
	for (i = 0; i < rows->node.ncolumns; i++)
		written->row[i] = column_at(rtindex, dp_from_attribute(rows, i),
									rows->node.columns[i].type);
}

/* A sub-query, which has the node's columns as its targets. */
static void
add_query(DpWritten *written, Query *query, const DpNode *node)
{
	int rtindex = add_entry(
		written,
		dp_query_entry(query, written->name != NULL ? written->name : "s"));

	written->row = room_for(node);
	foreach_node (TargetEntry, entry, query->targetList)
	{
		if (!entry->resjunk)
			written->row[entry->resno - 1] =
				(Node *) makeVarFromTargetEntry(rtindex, entry);
	}
}

static void add_node(DpWritten *written, const DpNode *node);

/*
 * Joins
 */

static void
add_conditions(DpWritten *written, const DpJoin *join)
{
	foreach_ptr (const DpExpr, expr, join->conditions)
		written->quals =
			lappend(written->quals, dp_written_expr(written, expr));
}

/*
 * Inner joins may be nested in any way, since their conditions are all in WHERE. The
 * planner looks for an order of a list; where there are many, at random and for long.
 * What was written as joins is joined so, in its order: there it looks for one of a
 * few at a time (join_collapse_limit).
 */
static void
add_join(DpWritten *written, const DpJoin *join)
{
	Node **row = room_for(&join->node);
	List *from = written->from;
	List *item = NIL;
	int i;

	for (i = 0; i < join->node.ninputs; i++)
	{
		bool is_next = i > 0 && list_nth_int(join->items, i) ==
									list_nth_int(join->items, i - 1);

		written->from = NIL;
		add_node(written, join->node.inputs[i]);
		memcpy(row + dp_node_offset(&join->node, i), written->row,
			   join->node.inputs[i]->ncolumns * sizeof(Node *));
		if (!is_next)
			from = list_concat(from, item);
		item = is_next
				   ? list_make1(dp_query_join(list_concat(item, written->from)))
				   : written->from;
	}
	written->from = list_concat(from, item);
	written->row = row;
	add_conditions(written, join);
}

static int
add_join_entry(Query *query)
{
	query->rtable = lappend(query->rtable, dp_query_join_entry(JOIN_LEFT));
	return list_length(query->rtable);
}

/* Whether all columns are columns of entries of FROM when it is written. */
static bool
has_plain_columns(const DpNode *node)
{
	int i;

	switch (node->kind)
	{
		case DP_NODE_JOIN:
		case DP_NODE_LEFT_JOIN:
		case DP_NODE_VIEW:
			for (i = 0; i < node->ninputs; i++)
			{
				if (!has_plain_columns(node->inputs[i]))
					return false;
			}
			return true;
		case DP_NODE_PROJECT:
			return false;
		default:
			return true;
	}
}

/*
 * The conditions of the left side hold in the result as well; those of the right
 * side are conditions of a match.
 */
static void
add_left_join(DpWritten *written, const DpJoin *join)
{
	const DpNode *left = join->node.inputs[0];
	const DpNode *right = join->node.inputs[1];
	Node **row = room_for(&join->node);
	List *from = written->from;
	List *quals;
	JoinExpr *outer = makeNode(JoinExpr);
	int i;

	written->from = NIL;
	add_node(written, left);
	memcpy(row, written->row, left->ncolumns * sizeof(Node *));
	outer->larg = dp_query_join(written->from);
	quals = written->quals;
	written->from = written->quals = NIL;
	if (has_plain_columns(right))
		add_node(written, right);
	else
	{
		written->name = right->name;
		add_query(written, dp_written_query(written, right).query, right);
	}
	outer->rarg = dp_query_join(written->from);
	memcpy(row + left->ncolumns, written->row,
		   right->ncolumns * sizeof(Node *));
	written->row = row;
	add_conditions(written, join);
	outer->jointype = JOIN_LEFT;
	outer->quals = written->quals == NIL
					   ? NULL
					   : (Node *) make_ands_explicit(written->quals);
	outer->rtindex = add_join_entry(written->query);
	for (i = left->ncolumns; i < join->node.ncolumns; i++)
		row[i] = dp_compat_null_by_join(copyObject(row[i]), outer->rtindex);
	written->from = lappend(from, outer);
	written->quals = quals;
}

static void
add_project(DpWritten *written, const DpProject *project)
{
	Node **row = room_for(&project->node);

	add_node(written, project->node.inputs[0]);
	foreach_ptr (const DpExpr, expr, project->exprs)
		row[foreach_current_index(expr)] = dp_written_expr(written, expr);
	written->row = row;
}

static void
add_node(DpWritten *written, const DpNode *node)
{
	const char *name = written->name;

	dp_stack_enter();
	if (node->name != NULL)
		written->name = node->name;
	switch (node->kind)
	{
		case DP_NODE_SCAN:
			add_scan(written, (const DpScan *) node);
			break;
		case DP_NODE_PUBLIC:
			add_public(written, (const DpPublicRows *) node);
			break;
		case DP_NODE_JOIN:
			add_join(written, (const DpJoin *) node);
			break;
		case DP_NODE_LEFT_JOIN:
			if (dp_owner_is_matched(node))
				add_join(written, (const DpJoin *) node);
			else
				add_left_join(written, (const DpJoin *) node);
			break;
		case DP_NODE_GROUP:
			add_query(written,
					  dp_combined_group(written, (const DpGroup *) node), node);
			break;
		case DP_NODE_WINDOW:
			add_query(written,
					  dp_combined_window(written, (const DpWindow *) node),
					  node);
			break;
		case DP_NODE_UNION:
			add_query(written, dp_combined_union(written, node), node);
			break;
		case DP_NODE_VIEW:
			add_node(written, node->inputs[0]);
			break;
		case DP_NODE_PROJECT:
			add_project(written, (const DpProject *) node);
			break;
		case DP_NODE_RELEASE:
			elog(ERROR, "a question among the rows of another");
	}
	written->name = name;
}

DpWritten *
dp_from_write(const DpNode *rows, List **copied)
{
	DpWritten *written = palloc0(sizeof(DpWritten));

	written->add = add_node;
	written->query = dp_query_make();
	written->copied = copied;
	add_node(written, rows);
	dp_written_finish(written);
	return written;
}
