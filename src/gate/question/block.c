/*
 * block.c
 *		The shapes that are answered.
 *
 * Protected relations joined on their units, tables joined to them by their
 * unique keys, private aggregates, conditions, groups. What is not known to be safe is refused.
 * HAVING, ORDER BY, window functions and whatever else comes after grouping
 * work on released rows, and any SQL goes.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "gate/question/block.h"
#include "gate/question/block_aggregate.h"
#include "gate/question/expression.h"
#include "gate/question/inner_query.h"
#include "gate/question/joins.h"
#include "gate/question/lookup.h"
#include "gate/question/key.h"
#include "gate/question/levels.h"
#include "gate/question/protection.h"
#include "gate/question/released.h"
#include "gate/question/row_copies.h"
#include "gate/question/subqueries.h"
#include "gate/question/unit_joins.h"
#include "gate/question/units.h"
#include "server/compat.h"

/* True when a query, at any depth, reads a protected relation. */
static bool
reads_protected_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		RangeTblEntry *rte = (RangeTblEntry *) node;

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
dp_gate_block_is_protected(Query *query)
{
	if (!reads_protected_walker((Node *) query, NULL))
		return false;
	dp_gate_write_out_subqueries(query);
	if (dp_gate_find_subjects(query).relations == NIL)
		dp_gate_refuse("a sub-query or view that does more than choose rows "
					   "and columns, and join",
					   "Leave GROUP BY, DISTINCT, UNION, LIMIT and window "
					   "functions to a query around the released answer.",
					   -1);
	return true;
}

static void
check_relation(const RangeTblEntry *rte)
{
	if (!rte->inh)
		dp_gate_refuse("ONLY", "Leave it out.", -1);
	if (rte->tablesample != NULL)
		dp_gate_refuse("TABLESAMPLE", "Leave it out.", -1);
	if (rte->securityQuals != NIL)
		dp_gate_refuse("row-level security",
					   "Protect a table without row-level security policies.",
					   -1);
}

static void
check_shape(Query *query, const DpSubjects *subjects)
{
	ListCell *cell;

	if (query->commandType != CMD_SELECT || query->setOperations != NULL)
		dp_gate_refuse("this statement", "Write a plain SELECT.", -1);
	if (query->groupingSets != NIL)
		dp_gate_refuse("GROUPING SETS, ROLLUP or CUBE",
					   "Ask for each grouping in a query of its own.", -1);
	if (query->hasSubLinks || query->cteList != NIL)
		dp_gate_refuse("a sub-query",
					   "Write it in an outer query around the released answer.",
					   -1);
	if (query->rowMarks != NIL)
		dp_gate_refuse("FOR UPDATE or FOR SHARE", "Leave it out.", -1);
	foreach (cell, subjects->places)
		check_relation(rt_fetch(lfirst_int(cell), query->rtable));
}

/* Of the relations in FROM, as they are when the block is read. */
static DpShapes
shapes_of(Query *query)
{
	DpShapes shapes = {NIL, NIL};
	ListCell *cell;

	foreach (cell, query->rtable)
	{
		const RangeTblEntry *rte = lfirst_node(RangeTblEntry, cell);

		if (rte->rtekind == RTE_RELATION)
			dp_gate_shapes_add(&shapes, rte->relid);
	}
	return shapes;
}

/* The block becomes a query over the released rows. */
static void
read_release(Query *query, const DpReleased *released, List *target_list,
			 Node *having, int64 number)
{
	RangeTblRef *ref = makeNode(RangeTblRef);

	query->targetList = target_list;
	query->rtable = list_make1(dp_gate_make_release(
		dp_gate_release_columns(released->keys, released->aggregates), number));
	dp_compat_drop_permissions(query);
	ref->rtindex = 1;
	query->jointree = makeFromExpr(list_make1(ref), having);
	query->groupClause = NIL;
	query->groupDistinct = false;
	query->havingQual = NULL;
	query->hasAggs = false;
	query->hasRowSecurity = false;
}

/* Bounds what a unit contributes to a statement beneath the block. */
static Query *
bound_units(Query *inner, const DpBlock *block, List *keys,
			const DpProtection *protection)
{
	dp_gate_restore_columns(inner);
	dp_gate_compare_bytes(inner);
	return dp_gate_bound_units(inner,
							   (Index) linitial_int(block->subjects.places),
							   keys, protection, block->contribution);
}

/* Groups of private keys are selected by noise of their own for each role. */
static void
refuse_levels(Oid relation)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("GROUP BY of values that are not public cannot be used "
					"over \"%s\", which has privacy levels",
					get_rel_name(relation)),
			 errhint("Ask the owner to declare the values with "
					 "dp_noise.set_values().")));
}

/* The statements beneath the block. */
static void
make_statements(Query *query, DpBlock *block, const DpProtection *protection)
{
	List *private_keys = dp_gate_keys_of(block->keys, false);

	block->inner = bound_units(
		dp_gate_inner_query(query, block, block->keys, block->calls), block,
		block->keys, protection);
	block->empty = block->units = NULL;
	if (block->keys == NIL)
		return;
	block->empty =
		bound_units(dp_gate_empty_query(query, block), block, NIL, protection);
	if (private_keys == NIL)
		return;
	if (block->levels != NIL)
		refuse_levels(linitial_oid(block->subjects.relations));
	if (list_length(private_keys) == list_length(block->keys))
	{
		dp_gate_count_units(block->inner);
		return;
	}
	block->units =
		bound_units(dp_gate_inner_query(query, block, private_keys, NIL), block,
					private_keys, protection);
	dp_gate_count_units(block->units);
}

static bool
is_true(Node *quals)
{
	return quals != NULL && IsA(quals, Const) &&
		   !((Const *) quals)->constisnull &&
		   DatumGetBool(((Const *) quals)->constvalue);
}

/* The levels of a relation; joined ones have none. */
static List *
levels_of(const DpSubjects *subjects)
{
	return list_length(subjects->relations) == 1
			   ? dp_gate_levels(linitial_oid(subjects->relations))
			   : NIL;
}

void
dp_gate_block_split(Query *query, int64 number, DpBlock *block)
{
	DpReleased released = {.subjects = &block->subjects};
	DpProtection protection;
	DpJoins joins;
	List *target_list;
	Node *having;
	ListCell *cell;

	block->subjects = dp_gate_find_subjects(query);
	dp_compat_flatten_groups(query);
	check_shape(query, &block->subjects);
	dp_gate_check_columns(query);
	block->shapes = shapes_of(query);
	dp_gate_shapes_check_query(query);

	/* WHERE is folded once, so that what is checked and asked is what is run. */
	joins = dp_gate_resolve_joins(query, &block->subjects);
	if (is_true(query->jointree->quals))
		query->jointree->quals = NULL; /* the same question as without */
	foreach (cell, query->groupClause)
		dp_gate_add_key(
			get_sortgroupclause_expr(lfirst_node(SortGroupClause, cell),
									 query->targetList),
			&released);

	if (query->jointree->quals != NULL)
		dp_gate_check_expression(query->jointree->quals, &block->subjects,
								 "WHERE");
	target_list =
		(List *) dp_gate_replace((Node *) query->targetList, &released);
	having = dp_gate_replace(query->havingQual, &released);

	block->keys = released.keys;
	block->aggregates = released.aggregates;
	block->levels = levels_of(&block->subjects);
	block->calls = dp_gate_level_calls(block->aggregates, block->levels);
	block->quals = query->jointree->quals;
	if (joins.conditions != NIL)
		block->quals = make_and_qual(
			(Node *) make_ands_explicit(joins.conditions), block->quals);
	block->lookups = joins.rows;
	block->lookup_keys = joins.keys;
	protection = dp_gate_joint_protection(&block->subjects);
	block->unique_indexes = dp_gate_unit_indexes(&block->subjects);
	block->contribution = dp_gate_contribution(&protection, block->keys);
	make_statements(query, block, &protection);
	block->copies = dp_gate_read_copies(
		&block->subjects, list_make3(block->inner, block->empty, block->units));
	read_release(query, &released, target_list, having, number);
}
