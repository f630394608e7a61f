/*
 * nodes.c
 *		What other nodes compute of the statements beneath releases.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"

#include "gate/relations/row_copies.h"
#include "gate/run/nodes/conditions.h"
#include "gate/run/nodes/cut.h"
#include "gate/run/nodes/few.h"
#include "gate/run/nodes/node_known.h"
#include "gate/run/nodes/nodes.h"
#include "gate/run/nodes/ready.h"
#include "gate/run/nodes/node_units.h"
#include "server/citus.h"
#include "server/compat.h"
#include "server/ownership.h"
#include "server/queries.h"
#include "server/role_path.h"

/* The statements of a block, those that it has. */
static List *
statements_of(const DpBlock *block)
{
	List *result = NIL;
	ListCell *cell;

	foreach (cell, list_make5(block->inner, block->unit_counts, block->choice,
							  block->sizes, block->empty))
	{
		if (lfirst(cell) != NULL)
			result = lappend(result, lfirst(cell));
	}
	return result;
}

/* Columns of no rows, in place of a relation's. */
static Query *
no_rows_of(const Query *reader)
{
	Query *whole = dp_row_copies_query(reader, 1, NIL);
	Query *rows = dp_query_make();

	rows->jointree->quals = makeBoolConst(false, false);
	foreach_node (TargetEntry, entry, whole->targetList)
		(void) dp_query_add_target(
			rows,
			(Node *) makeNullConst(exprType((Node *) entry->expr),
								   exprTypmod((Node *) entry->expr),
								   exprCollation((Node *) entry->expr)),
			NULL);
	return rows;
}

/* The names of what is asked, for the entry that reads it. */
static List *
names_of(const Query *rows)
{
	List *names = NIL;

	foreach_node (TargetEntry, entry, rows->targetList)
		names = lappend(names, makeString(pstrdup(entry->resname)));
	return names;
}

/* From 1. */
static int
position_of(const List *copies, const Query *rows)
{
	ListCell *cell;

	foreach (cell, copies)
	{
		if (lfirst(cell) == rows)
			return foreach_current_index(cell) + 1;
	}
	return 0;
}

/* A statement, cut where it reads its relation, or above; NULL where it cannot be. */
static DpCut *
cut_of(Query *statement, const DpOutline *outline, List **shared)
{
	DpCut *cut = palloc0(sizeof(DpCut));

	cut->reader =
		dp_cut_reader(statement, linitial_oid(outline->relations.oids));
	if (cut->reader == NULL)
		return NULL;
	cut->cut = dp_units_on_nodes(statement, cut->reader, outline, &cut->rows);
	if (cut->cut != NULL)
	{
		cut->work = DP_NODES_BOUND_UNITS;
		cut->reader = statement;
		return cut;
	}
	return dp_cut(cut->reader, outline, shared, cut) ? cut : NULL;
}

/* The same of a statement that reads no row. */
static DpCut *
empty_cut_of(Query *statement, const DpOutline *outline)
{
	DpCut *cut = palloc0(sizeof(DpCut));

	cut->reader =
		dp_cut_reader(statement, linitial_oid(outline->relations.oids));
	if (cut->reader == NULL)
		return NULL;
	cut->cut = (Query *) copyObject(cut->reader);
	cut->rows = no_rows_of(cut->reader);
	return cut;
}

/* Puts a cut in its reader's place, which reads the copy of that number. */
static void
put(const DpCut *cut, int copy)
{
	RangeTblEntry *rte = linitial_node(RangeTblEntry, cut->cut->rtable);

	if (cut->rows->targetList == NIL)
		(void) dp_query_add_target(
			cut->rows, (Node *) makeNullConst(INT4OID, -1, InvalidOid), NULL);
	rte->eref->colnames = names_of(cut->rows);
	dp_row_copies_read(rte, cut->rows, dp_row_copies_name(copy));
	if (cut->is_unfolded)
		linitial(cut->cut->rtable) = dp_few_unfold(rte, cut->rows);
	*cut->reader = *cut->cut;
}

/* False where some statement of a block cannot be cut. */
static bool
cut_block(DpBlock *block)
{
	DpOutline *outline = &block->outline;
	List *statements = statements_of(block);
	List *cuts = NIL;
	List *shared = NIL;
	List *copies = NIL;
	ListCell *cell;
	ListCell *cut;

	foreach (cell, statements)
		cuts = lappend(cuts, lfirst(cell) == block->empty
								 ? empty_cut_of(lfirst(cell), outline)
								 : cut_of(lfirst(cell), outline, &shared));
	if (list_member_ptr(cuts, NULL))
		return false;
	foreach (cut, cuts)
		copies = list_append_unique_ptr(copies, ((DpCut *) lfirst(cut))->rows);
	foreach (cut, cuts)
		put(lfirst(cut), position_of(copies, ((DpCut *) lfirst(cut))->rows));
	outline->copies = copies;
	outline->node_work = ((DpCut *) linitial(cuts))->work; /* of inner */
	return true;
}

/*
 * Whether nodes may be asked for more than columns: what runs with the owner's rights
 * is the server's own, by its name alone.
 */
static bool
may_compute(Oid relation)
{
	return dp_role_path_is_plain(dp_owner_of(relation));
}

/* Copies of what is read, of distributed relations what conditions leave. */
static void
read_copies(DpBlock *block)
{
	DpOutline *outline = &block->outline;
	List *statements = statements_of(block);
	List *conditions = NIL;
	ListCell *cell;

	foreach (cell, outline->relations.oids)
	{
		bool is_distributed = dp_citus_distributes(lfirst_oid(cell));
		List *those = is_distributed && may_compute(lfirst_oid(cell))
						  ? dp_conditions_on(lfirst_oid(cell), statements)
						  : NIL;

		conditions = lappend(conditions, those);
		if (is_distributed)
			outline->node_work =
				Max(outline->node_work,
					those == NIL ? DP_NODES_READ_ROWS : DP_NODES_CHOOSE_ROWS);
	}
	outline->copies =
		dp_row_copies_read_all(&outline->relations, statements, conditions);
}

/* Puts values in the place of parameters that are known by now. */
static void
put_known(const DpBlock *block, ParamListInfo params)
{
	foreach_ptr (Query, statement, statements_of(block))
		*statement = *dp_nodes_known(statement, params);
}

List *
dp_nodes_bound_question(DpPlanning *planning, const DpQuestion *question)
{
	List *blocks = dp_bound_question(planning, question);

	foreach_ptr (DpBlock, block, blocks)
	{
		const List *relations = block->outline.relations.oids;
		Oid only = linitial_oid(relations);

		if (!OidIsValid(dp_citus_first_distributed(relations)))
		{
			read_copies(block);
			continue;
		}
		if (planning->params != NULL)
			put_known(block, planning->params);
		dp_row_copies_check_types(&block->outline.relations,
								  statements_of(block));
		if (list_length(relations) > 1 || !may_compute(only) ||
			!cut_block(block))
			read_copies(block);
		block->outline.node_checks =
			dp_nodes_ready_checks(block->outline.copies);
	}
	return blocks;
}

const char *
dp_nodes_words(DpNodeWork work)
{
	switch (work)
	{
		case DP_NODES_NONE:
			break;
		case DP_NODES_READ_ROWS:
			return "nothing (level 0)";
		case DP_NODES_CHOOSE_ROWS:
			return "conditions and expressions (level 1)";
		case DP_NODES_FIND_VALUES:
			return "different values (level 1)";
		case DP_NODES_COUNT_POINTS:
			return "numbers of rows by values (level 1)";
		case DP_NODES_ADD_UP:
			return "counts and sums of groups (level 2)";
		case DP_NODES_BOUND_UNITS:
			return "counts and sums of bounded units (level 3)";
	}
	return NULL;
}
