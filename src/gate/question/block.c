/*
 * block.c
 *		A query block over protected relations, taken apart.
 *
 * Each row of FROM gets an owner (gate/question/rows/rows.h), expressions are
 * checked, keys and aggregates are taken out, the contribution of each unit is
 * bounded, and the block is made to read a release. HAVING, ORDER BY, window
 * functions and everything else that comes after grouping work on released
 * rows, so any SQL is allowed there.
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
#include "gate/question/expressions/compare_bytes.h"
#include "gate/question/expressions/constants.h"
#include "gate/question/expressions/expression.h"
#include "gate/question/expressions/derived_bounds.h"
#include "gate/question/expressions/long_values.h"
#include "gate/question/expressions/nullability.h"
#include "gate/question/inner_query.h"
#include "gate/question/keys/grouping_family.h"
#include "gate/question/keys/key.h"
#include "gate/question/relations/declared.h"
#include "gate/question/relations/locations.h"
#include "gate/question/relations/populations.h"
#include "gate/question/relations/private_aggregates.h"
#include "gate/question/relations/protection.h"
#include "gate/question/relations/publics.h"
#include "gate/question/relations/release_call.h"
#include "gate/question/relations/row_copies.h"
#include "gate/question/relations/shown.h"
#include "gate/question/released.h"
#include "gate/question/rewrite_aggregate.h"
#include "gate/question/rows/conditions.h"
#include "gate/question/rows/join_conditions.h"
#include "gate/question/rows/rows.h"
#include "gate/question/relations/flatten.h"
#include "gate/question/rows/unit_rows.h"
#include "gate/question/units/contributions.h"
#include "gate/question/units/levels.h"
#include "gate/question/units/units.h"
#include "server/compat.h"

bool
dp_gate_block_is_protected(Query *query)
{
	if (!dp_gate_reads_protected(query))
		return false;
	dp_compat_flatten_groups(query);
	dp_flatten_subqueries(query);
	return true;
}

static bool
is_true(Node *quals)
{
	return quals != NULL && IsA(quals, Const) &&
		   !((Const *) quals)->constisnull &&
		   DatumGetBool(((Const *) quals)->constvalue);
}

static void
check_shape(Query *query)
{
	if (query->commandType != CMD_SELECT || query->setOperations != NULL)
		dp_gate_refuse("this statement", "Write a plain SELECT.",
					   dp_gate_location_of_query(query));
	if (query->groupingSets != NIL)
		dp_gate_refuse(
			"GROUPING SETS, ROLLUP or CUBE",
			"Ask for each grouping in a query of its own.",
			linitial_node(GroupingSet, query->groupingSets)->location);
	if (query->rowMarks != NIL)
		dp_gate_refuse("FOR UPDATE or FOR SHARE", "Leave it out.",
					   dp_gate_location_of_query(query));
}

static bool
shapes_walker(Node *node, DpShapes *shapes)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		const RangeTblEntry *rte = (const RangeTblEntry *) node;

		if (rte->rtekind != RTE_RELATION)
			return false;
		if (dp_gate_is_protected(rte->relid))
			dp_gate_shapes_add(shapes, rte->relid);
		else
			dp_gate_shapes_add_public(shapes, rte->relid);
		return false;
	}
	if (IsA(node, Query))
	{
		dp_gate_shapes_check_query((Query *) node);
		return query_tree_walker((Query *) node, shapes_walker, shapes,
								 QTW_EXAMINE_RTES_BEFORE);
	}
	return expression_tree_walker(node, shapes_walker, shapes);
}

/*
 * The shapes of the relations in a query, as they are when the block is read.
 */
static DpShapes
shapes_of(Query *query)
{
	DpShapes shapes = {NIL, NIL};

	(void) shapes_walker((Node *) query, &shapes);
	return shapes;
}

/*
 * Sub-queries in what is computed over the rows: in aggregates and keys.
 * Others stay in the query around the release, where the block's columns no
 * longer exist.
 */
static Node *
own_outputs(Node *node, void *context)
{
	DpScope *scope = context;

	if (node == NULL)
		return NULL;
	if (IsA(node, Aggref))
		return expression_tree_mutator(node, dp_gate_own_conditions_mutator,
									   context);
	if (IsA(node, TargetEntry) &&
		(dp_gate_is_of_family((TargetEntry *) node) ||
		 get_sortgroupref_clause_noerr(((TargetEntry *) node)->ressortgroupref,
									   scope->query->groupClause) != NULL))
		return expression_tree_mutator(node, dp_gate_own_conditions_mutator,
									   context);
	if (IsA(node, SubLink))
	{
		if (dp_gate_reads_protected((Query *) ((SubLink *) node)->subselect))
			dp_gate_refuse("a sub-query over a protected relation beside the "
						   "aggregates",
						   "Write private aggregates in it, or join what it "
						   "reads in FROM.",
						   ((SubLink *) node)->location);
		if (dp_gate_refers_outward((Query *) ((SubLink *) node)->subselect))
			dp_gate_refuse("a sub-query over released rows that refers to a "
						   "column of the question",
						   "Write it in an outer query around the released "
						   "answer.",
						   ((SubLink *) node)->location);
		return node;
	}
	return expression_tree_mutator(node, own_outputs, context);
}

/* FROM and conditions, for what is made of columns later. */
static Query *
frame_of(const Query *query)
{
	Query *frame = makeNode(Query);

	frame->commandType = CMD_SELECT;
	frame->rtable = copyObject(query->rtable);
	frame->jointree = copyObject(query->jointree);
	return frame;
}

/* Finds the owners of the block's rows. */
static void
own_block(Query *query, DpBlock *block)
{
	DpRelations *relations = &block->outline.relations;
	DpScope scope = {.query = query, .relations = relations};
	ListCell *cell;

	dp_gate_own_rows(&scope);
	block->outline.row_constants = list_length(relations->constants);
	if (scope.owned == NIL)
		dp_gate_refuse("an aggregate over rows without a privacy unit",
					   "Read a protected relation in its FROM.",
					   dp_gate_location_of_query(query));
	query->targetList =
		(List *) own_outputs((Node *) query->targetList, &scope);
	query->havingQual = own_outputs(query->havingQual, &scope);
	if (is_true(query->jointree->quals))
		query->jointree->quals = NULL; /* the same question as without */
	dp_gate_drop_idle_joins(&scope);
	dp_gate_decide_contribution(&scope);
	dp_gate_derive_rows(&scope);
	dp_gate_derive_grouped_rows(&scope, dp_gate_family_keys(query),
								&block->finest_one_row,
								&block->finest_one_group);
	relations->unit = scope.unit;
	if (list_length(scope.unit) == 1 &&
		((Var *) linitial(scope.unit))->varattno > 0)
		relations->alike = dp_gate_equal_to(scope.equal, linitial(scope.unit));
	relations->frame = frame_of(query);
	foreach (cell, relations->unit)
		relations->certain =
			lappend_int(relations->certain,
						dp_gate_column_is_never_null(relations, lfirst(cell)));
}

/* The block becomes a query over the released rows. */
static void
read_release(Query *query, const DpReleased *released, List *target_list,
			 Node *having, int64 number)
{
	RangeTblRef *ref = makeNode(RangeTblRef);

	query->targetList = target_list;
	query->rtable = list_make1(dp_gate_make_release(
		list_concat(
			dp_gate_release_columns(released->keys, released->aggregates),
			released->ends->types),
		number));
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
bound_units(Query *inner, const DpBlock *block, List *keys, int shown)
{
	dp_gate_compare_bytes(inner);
	return dp_gate_bound_units(inner, &block->outline.relations, keys, shown,
							   block->outline.contribution,
							   block->outline.choices);
}

/* Groups of private keys are selected by noise of their own for each role. */
static void
refuse_levels(Oid relation, const DpKey *key)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("GROUP BY of values that are not public cannot be used "
					"over \"%s\", which has privacy levels",
					get_rel_name(relation)),
			 errhint("Ask the owner to declare the values with "
					 "dp_noise.set_values()."),
			 dp_gate_position(exprLocation(key->expression))));
}

/* The statements beneath the block. */
static void
make_statements(Query *query, DpBlock *block)
{
	List *private_keys = dp_gate_keys_of(block->outline.keys, false);
	List *keys = list_concat_copy(block->outline.keys, block->other_keys);

	block->inner =
		bound_units(dp_gate_inner_query(query, block, keys, block->calls),
					block, keys, list_length(block->outline.keys));
	block->empty = block->unit_counts = NULL;
	if (block->outline.keys == NIL || block->outline.aggregates == NIL)
		return;
	block->empty =
		bound_units(dp_gate_empty_query(query, block), block, NIL, 0);
	if (private_keys == NIL)
		return;
	if (block->outline.levels != NIL)
		refuse_levels(linitial_oid(dp_gate_named(&block->outline.relations)),
					  linitial(private_keys));
	if (list_length(private_keys) == list_length(block->outline.keys))
	{
		dp_gate_count_units(block->inner);
		return;
	}
	block->unit_counts =
		bound_units(dp_gate_inner_query(query, block, private_keys, NIL), block,
					private_keys, list_length(private_keys));
	dp_gate_count_units(block->unit_counts);
}

/* The levels of a relation or view; joined ones have none. */
static List *
levels_of(const DpRelations *relations)
{
	List *named = dp_gate_named(relations);

	return list_length(named) == 1 ? dp_gate_levels(linitial_oid(named)) : NIL;
}

/* Lists the public relations to be copied, and the queries that run first. */
static void
list_publics(DpBlock *block)
{
	ListCell *cell;

	block->outline.lookups = block->outline.lookup_keys = NIL;
	block->outline.constants = block->outline.relations.constants;
	block->outline.constant_numbers = block->outline.relations.constant_numbers;
	block->outline.relations.constants =
		block->outline.relations.constant_numbers = NIL;
	foreach (cell, block->outline.relations.publics)
	{
		DpPublic *public = lfirst(cell);

		block->outline.lookups = lappend(block->outline.lookups, public->rows);
		block->outline.lookup_keys =
			lappend(block->outline.lookup_keys, public->key);
	}
}

/*
 * Whether what is public may be other rows for one role than for another: then
 * an answer is not shared. Functions that are not immutable may look at anything.
 */
static bool
is_of_role(const DpOutline *outline)
{
	ListCell *cell;
	ListCell *source;

	foreach (cell, outline->lookups)
	{
		if (dp_gate_is_of_role(lfirst(cell)) ||
			contain_mutable_functions(lfirst(cell)))
			return true;
	}
	foreach (cell, outline->keys)
	{
		foreach (source, ((const DpKey *) lfirst(cell))->sources)
		{
			if (IsA(lfirst(source), Query) &&
				dp_gate_is_of_role(lfirst(source)))
				return true;
		}
	}
	return false;
}

/*
 * Where nothing but public keys is asked for, their values are the answer:
 * nothing is counted, and the rows are not read. Otherwise the groups are
 * counted, which selects those of private keys.
 */
static void
leave_keys_alone(DpReleased *released, List **target_list)
{
	if (list_length(released->aggregates) != 1 || released->keys == NIL ||
		!dp_gate_is_keys_aggregate(linitial(released->aggregates)) ||
		dp_gate_keys_of(released->keys, false) != NIL)
		return;
	released->aggregates = NIL;
	*target_list = list_truncate(*target_list, list_length(*target_list) - 1);
}

/* Whether all aggregates add up: a group's from those of parts of it. */
static bool
add_up(List *aggregates)
{
	ListCell *cell;

	foreach (cell, aggregates)
	{
		if (!dp_gate_traits_of(lfirst_node(Aggref, cell))->adds_up)
			return false;
	}
	return true;
}

/* Whether the first argument of an aggregate has a value in every row. */
static bool
is_certain(const Aggref *aggref, const DpRelations *relations)
{
	Node *value;

	if (aggref->args == NIL)
		return false;
	value = (Node *) linitial_node(TargetEntry, aggref->args)->expr;
	return (IsA(value, Const) || IsA(value, Var)) &&
		   dp_gate_is_never_null(relations, value);
}

/* Whether a query may have other rows each time that it is read. */
static bool
varies_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, TableSampleClause) &&
		((TableSampleClause *) node)->repeatable == NULL)
		return true;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, varies_walker, context, 0);
	return expression_tree_walker(node, varies_walker, context);
}

/*
 * Whether all groupings read the same rows: public relations are read again
 * for each.
 */
static bool
reads_the_same(const DpRelations *relations)
{
	ListCell *cell;

	foreach (cell, relations->publics)
	{
		Node *rows = (Node *) ((const DpPublic *) lfirst(cell))->rows;

		if (contain_volatile_functions(rows) || varies_walker(rows, NULL))
			return false;
	}
	return true;
}

/*
 * Marks the block as one of several groupings, if they are of the same rows.
 * Units of several rows are bounded in all of them as in the finest one, by
 * the keys of all, so that the same rows of a unit count in each.
 */
static void
join_family(Query *query, DpBlock *block, int family, List *written, List *keys)
{
	List *others = NIL;

	block->outline.family = family;
	block->other_keys = NIL;
	block->outline.choices.parameter = 0;
	if (family > 0 && block->outline.levels == NIL)
		block->outline.choices.parameter =
			dp_gate_take_parameters(list_length(block->outline.aggregates));
	block->outline.are_of_one =
		family > 0 && block->outline.levels == NIL &&
		reads_the_same(&block->outline.relations) &&
		dp_gate_keep_to_domains(query, &block->outline.relations, written, keys,
								&others);
	if (!block->outline.are_of_one || !block->outline.relations.several)
		return;
	block->outline.are_of_one = add_up(block->outline.aggregates);
	if (!block->outline.are_of_one)
		return;
	block->other_keys = others;
	block->outline.relations.one_row = block->finest_one_row;
	block->outline.relations.one_group = block->finest_one_group;
}

void
dp_gate_block_split(Query *query, int64 number, DpBlock *block)
{
	DpReleased released = {.relations = &block->outline.relations,
						   .ends = dp_gate_ends_make()};
	List *target_list;
	List *statements;
	List *family_keys;
	int family;
	Node *having;
	ListCell *cell;

	memset(&block->outline.relations, 0, sizeof(DpRelations));
	check_shape(query);
	dp_gate_check_columns(query);
	block->shapes = shapes_of(query);

	/*
	 * WHERE is folded once, so that what is checked and asked is what is run.
	 */
	own_block(query, block);
	family = dp_gate_take_family(query, &family_keys);
	foreach (cell,
			 dp_gate_all_read(&block->outline.relations)) /* also along paths */
		dp_gate_shapes_add(&block->shapes, lfirst_oid(cell));
	foreach (cell, query->groupClause)
		dp_gate_add_key(
			get_sortgroupclause_expr(lfirst_node(SortGroupClause, cell),
									 query->targetList),
			&released);
	target_list =
		(List *) dp_gate_replace((Node *) query->targetList, &released);
	having = dp_gate_replace(query->havingQual, &released);
	leave_keys_alone(&released, &target_list);
	dp_gate_number_ends((Node *) target_list, &released);
	dp_gate_number_ends(having, &released);

	block->outline.keys = released.keys;
	block->outline.aggregates = released.aggregates;
	block->outline.ends = released.ends;
	block->outline.certain = block->outline.derived = NIL;
	block->outline.forms = NIL;
	block->outline.key_numbers = block->outline.other_key_numbers = NIL;
	block->outline.probes = NIL;
	foreach (cell, block->outline.aggregates)
		block->outline.certain =
			lappend_int(block->outline.certain,
						is_certain(lfirst(cell), &block->outline.relations));
	foreach (cell, block->outline.aggregates)
		block->outline.derived = lappend_int(
			block->outline.derived, dp_gate_has_derived_bounds(lfirst(cell)));
	block->outline.levels = levels_of(&block->outline.relations);
	join_family(query, block, family, family_keys, released.keys);
	block->calls =
		dp_levels_calls(block->outline.aggregates, block->outline.levels);
	block->outline.quals = dp_gate_inner_conditions(query);
	block->outline.contribution = dp_gate_contribution(
		&block->outline.relations,
		list_concat_copy(block->outline.keys, block->other_keys));
	block->outline.choices.by_rho =
		block->outline.levels == NIL &&
		dp_gate_pay_by_rho(&block->outline.relations);
	block->outline.choices.epsilon =
		dp_gate_default_epsilon(&block->outline.relations);
	list_publics(block);
	block->outline.is_of_role = is_of_role(&block->outline);
	make_statements(query, block);
	statements = list_make3(block->inner, block->empty, block->unit_counts);
	dp_gate_trim_publics(&block->outline.relations, statements);
	dp_gate_check_long_values(&block->outline.relations, statements);
	block->outline.copies =
		dp_gate_read_copies(&block->outline.relations, statements);
	read_release(query, &released, target_list, having, number);
}
