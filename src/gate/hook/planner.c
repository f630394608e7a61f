/*
 * planner.c
 *		The planner hook.
 *
 * Analysts hold no privilege on a protected relation, so whatever this hook
 * does not recognise fails with "permission denied". It looks at each query
 * block with dp_ aggregates. Where the relation's rows are kept back, the
 * server's own aggregates have become private ones before
 * (gate/read/rewrite.h). A block that reads a protected relation is
 * checked, its aggregates are planned as a statement of their own with the
 * owner's rights on that relation, and the block is changed to read the
 * released rows (gate/release/release_plan.h). Everything outside such blocks works on
 * released values and is left alone.
 *
 * User-defined code may run whenever a part of a statement is planned, and may
 * do anything, also to the tables of a block. So functions in FROM are replaced
 * by their queries before any block is read, and a block that calls user-defined
 * functions itself is refused (gate/read/folding.h). What is public in a block
 * is planned first. Its protected relations come last, each planned as its owner
 * (gate/relations/role_rights.h), and only if they have not changed since the
 * block was read (gate/relations/shapes.h).
 */
#include "postgres.h"

#include "access/transam.h"
#include "executor/instrument.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/planmain.h"
#include "optimizer/planner.h"
#include "utils/guc.h"

#include "gate/bound/bound.h"
#include "gate/bound/key.h"
#include "gate/hook/access.h"
#include "gate/hook/copy_table.h"
#include "gate/hook/finished_plan.h"
#include "gate/hook/inlined.h"
#include "gate/hook/planner.h"
#include "gate/hook/statement.h"
#include "gate/read/parameter.h"
#include "gate/read/question.h"
#include "gate/read/rewrite.h"
#include "gate/relations/copy_statistics.h"
#include "gate/relations/picture.h"
#include "gate/relations/private_aggregates.h"
#include "gate/relations/publics.h"
#include "gate/relations/refusal.h"
#include "gate/relations/reliance.h"
#include "gate/relations/role_rights.h"
#include "gate/relations/silence.h"
#include "gate/relations/with.h"
#include "gate/release/release_path.h"
#include "gate/release/release_plan.h"
#include "gate/run/inner_plan.h"
#include "gate/run/nodes/nodes.h"
#include "gate/run/user_code.h"
#include "server/compat_planner.h"
#include "server/plan_node.h"
#include "server/search.h"
#include "server/stack.h"

static planner_hook_type prev_planner = NULL;

/* What is collected while the blocks of a statement are found. */
typedef struct Gate
{
	const char *query_text;
	ParamListInfo params;
	List *inner_plans;	 /* of PlannedStmt */
	DpHashed hashed;	 /* of the block */
	PlannerGlobal *glob; /* what inlined functions change with */
	int next_parameter;	 /* the first number that no parameter has */
	List *compared;		 /* queries in IN, EXISTS and the like */
	List *outer; /* queries in whose FROM the one is that is being searched */
} Gate;

/*
 * True for a statement that may have private aggregates: in itself, or in
 * functions that the planner would inline where the gate no longer sees them.
 */
static bool
may_be_private(Node *node, void *context)
{
	(void) context;
	return (IsA(node, RangeTblEntry) &&
			dp_inlined_may_be((RangeTblEntry *) node)) ||
		   (IsA(node, Aggref) &&
			dp_private_aggregates_may_be_one(((Aggref *) node)->aggfnoid));
}

static PlannedStmt *
plan_for(Query *query, void *gate)
{
	const DpPlanCall call = {.query_text = ((Gate *) gate)->query_text,
							 .options = CURSOR_OPT_PARALLEL_OK,
							 .params = ((Gate *) gate)->params};

	return dp_compat_plan_by(prev_planner, query, &call);
}

/*
 * Plans a statement on protected rows, as a role. The buffers of indexes that
 * it reads are not counted, nor is the memory that it takes: EXPLAIN (MEMORY)
 * would reveal the size of column statistics. A foreign server may be asked,
 * and its messages are suppressed. query: or NULL. relations: the block's.
 */
static PlannedStmt *
plan_inner(Query *query, Oid role, const DpRelations *relations, Gate *gate)
{
	const DpInnerPlanning planning = {plan_for, gate, relations, &gate->hashed};
	BufferUsage buffers = pgBufferUsage;
	MemoryContext old;
	PlannedStmt *result;
	DpRights rights;
	DpSilence silence;
	List *written;
	List *items;
	bool has_row_security;

	if (query == NULL)
		return NULL;
	dp_user_code_refuse(query);
	old = MemoryContextSwitchTo(dp_release_plan_memory());
	extract_query_dependencies((Node *) query, &written, &items,
							   &has_row_security);
	dp_silence_keep_errors(&silence);
	dp_role_rights_begin(&rights, role);
	PG_TRY();
	{
		(void) dp_silence_begin(); /* ends with the rights */
		result = dp_inner_plan(query, &planning);
	}
	PG_CATCH();
	{
		dp_role_rights_end(&rights);
		pgBufferUsage = buffers;
		dp_silence_raise(&silence, false);
	}
	PG_END_TRY();
	dp_finished_plan_set_dependencies(result, written, items);
	MemoryContextSwitchTo(old);
	dp_silence_let_errors(&silence);
	dp_role_rights_end(&rights);
	pgBufferUsage = buffers;
	return result;
}

/* Plans queries among the sources of keys, as who reads them. */
static void
plan_sources(List *sources, Oid reader, Gate *gate)
{
	ListCell *cell;
	DpRights rights; /* ended after errors by plan_public */

	dp_role_rights_begin_reading(&rights, reader);
	foreach (cell, sources)
	{
		if (!IsA(lfirst(cell), Query))
			continue;
		lfirst(cell) = dp_compat_plan(lfirst(cell), gate->query_text, 0);
		gate->inner_plans = lappend(gate->inner_plans, lfirst(cell));
	}
	dp_role_rights_end(&rights);
}

/* Plans the queries that find the values of keys, by themselves and together. */
static void
plan_domains(const DpOutline *outline, Gate *gate)
{
	foreach_ptr (DpKey, key, outline->keys)
		plan_sources(key->sources, key->reader, gate);
	foreach_ptr (DpKeyTuples, tuples, outline->tuples)
		plan_sources(tuples->sources, InvalidOid, gate);
}

/*
 * Plans queries for what is public and for constants: the user's own as well.
 */
static void
plan_lookups(List *lookups, Gate *gate)
{
	ListCell *cell;

	foreach (cell, lookups)
	{
		lfirst(cell) = dp_compat_plan(lfirst(cell), gate->query_text, 0);
		gate->inner_plans = lappend(gate->inner_plans, lfirst(cell));
	}
}

/*
 * Plans the domains and look-ups of a block, before anything that reads
 * protected rows.
 */
static void
plan_public(DpBlock *block, Gate *gate)
{
	DpRights rights;

	dp_role_rights_begin_public(&rights);
	PG_TRY();
	{
		plan_domains(&block->outline, gate);
		plan_lookups(block->outline.lookups, gate);
		plan_lookups(block->outline.constants, gate);
	}
	PG_FINALLY();
	{
		dp_role_rights_end(&rights);
	}
	PG_END_TRY();
	dp_shapes_check(&block->shapes);
}

/* Plans queries that read protected relations' rows by themselves. */
static void
plan_copies(List *copies, DpBlock *block, Gate *gate)
{
	ListCell *cell;

	foreach (cell, copies)
	{
		Oid owner = dp_role_rights_copy_reader(&block->outline.relations,
											   foreach_current_index(cell));

		if (lfirst(cell) == NULL)
			continue;
		lfirst(cell) =
			plan_inner(lfirst(cell), owner, &block->outline.relations, gate);
		gate->inner_plans = lappend(gate->inner_plans, lfirst(cell));
	}
}

/*
 * The shapes that a release relies on. Those of relations of its block must
 * still be what they were when that was read.
 */
static DpShapes
shapes_of(const DpReleasePlan *release, const DpBlock *block)
{
	List *protected_plans = list_concat_copy(
		list_make5(release->inner, release->empty, release->unit_counts,
				   release->choice, release->sizes),
		release->outline.copies);
	List *public_plans =
		list_concat_copy(release->outline.lookups, release->outline.constants);
	DpShapes shapes = {NIL, NIL};
	ListCell *cell;

	public_plans =
		list_concat(public_plans, dp_key_plans(release->outline.keys,
											   release->outline.tuples));
	foreach (cell, protected_plans)
	{
		if (lfirst(cell) != NULL)
			dp_shapes_add_plan(&shapes, lfirst(cell), &block->shapes);
	}
	foreach (cell, public_plans)
		dp_shapes_add_plan(&shapes, lfirst(cell), NULL);
	dp_shapes_check(&block->shapes);
	return shapes;
}

/*
 * Whether what some private keys leave out is missing in what the statement computes
 * of several groups: by aggregates or window functions over released rows.
 */
static bool
combines_groups(const DpBlock *block, bool ranks, const Gate *gate)
{
	if (dp_key_those(block->outline.keys, false) == NIL)
		return false;
	foreach_node (Query, query, gate->outer)
		ranks |= query->hasWindowFuncs ||
				 (query->hasAggs && !dp_private_aggregates_in(query));
	return ranks;
}

/* Plans a block, and adds its release, under a number. */
static void
add_release(DpBlock *block, int64 number, Gate *gate)
{
	const DpRelations *relations = &block->outline.relations;
	DpReleasePlan *release;
	ListCell *cell;
	Oid role;

	plan_public(block, gate);
	gate->hashed = (DpHashed){NIL, NIL};
	plan_copies(block->outline.node_checks, block, gate);
	plan_copies(block->outline.copies, block, gate);
	dp_copy_statistics_expect_rows(
		list_make5(block->inner, block->empty, block->unit_counts,
				   block->choice, block->sizes),
		block->outline.lookups, block->outline.copies);
	role = dp_role_rights_reader(relations, block->outline.copies);
	foreach (cell, relations->publics)
		((DpPublic *) lfirst(cell))->rows = NULL; /* they are planned */
	release = dp_plan_node_make(DP_RELEASE_NAME, sizeof(DpReleasePlan));
	release->outline = block->outline;
	release->inner = plan_inner(block->inner, role, relations, gate);
	release->empty = plan_inner(block->empty, role, relations, gate);
	release->unit_counts =
		plan_inner(block->unit_counts, role, relations, gate);
	release->choice = plan_inner(block->choice, role, relations, gate);
	release->sizes = plan_inner(block->sizes, role, relations, gate);
	release->hashed = gate->hashed;
	release->reliances = dp_reliance_of_all(relations);
	release->shapes = shapes_of(release, block);
	gate->inner_plans = lappend(gate->inner_plans, release->inner);
	dp_release_plan_add(number, release);
}


static void
split_block(Query *query, Gate *gate)
{
	DpPlanning planning = {.query_text = gate->query_text,
						   .params = gate->params,
						   .next_parameter = gate->next_parameter,
						   .is_compared =
							   list_member_ptr(gate->compared, query)};
	const DpQuestion *question;
	bool ranks = query->hasWindowFuncs;
	int64 *numbers;
	List *blocks;
	int i;

	dp_role_rights_refuse_nested();
	dp_stack_reserve();
	question = dp_question_read(&planning, query);
	blocks = dp_nodes_bound_question(&planning, question);
	gate->next_parameter = planning.next_parameter;
	numbers = palloc(list_length(blocks) * sizeof(int64));
	for (i = 0; i < list_length(blocks); i++)
		numbers[i] = dp_release_plan_next();
	dp_placed_put(query, question, blocks, numbers);
	foreach_ptr (DpBlock, block, blocks)
	{
		block->outline.are_combined = combines_groups(block, ranks, gate);
		add_release(block, numbers[foreach_current_index(block)], gate);
	}
}

/* Splits all blocks over protected relations, the innermost first. */
static DpVisit
split_blocks(Node *node, const List *around, void *gate)
{
	Query *query = (Query *) node;
	Gate *g = gate;

	(void) around;
	if (IsA(node, SubLink))
	{
		SubLink *link = (SubLink *) node;
		List *outer = g->outer;

		if (link->subLinkType != EXPR_SUBLINK)
			g->compared = lappend(g->compared, link->subselect);
		(void) dp_search(link->testexpr, split_blocks, gate, 0);
		g->outer = NIL;
		(void) dp_search(link->subselect, split_blocks, gate, 0);
		g->outer = outer;
		return DP_VISIT_NEXT;
	}
	if (!IsA(node, Query))
		return DP_VISIT_PARTS;
	dp_stack_enter();
	dp_with_write_out(query);
	g->outer = lappend(g->outer, query);
	(void) dp_search_query(query, split_blocks, gate, 0);
	g->outer = list_delete_last(g->outer);
	if (dp_private_aggregates_in(query) && dp_publics_reads_protected(query))
		split_block(query, gate);
	return DP_VISIT_NEXT;
}

/*
 * Buffers read by planning are not counted: which catalog rows are read
 * depends on what earlier inner plans have cached, and so on the sizes of
 * tables, which EXPLAIN (BUFFERS) would show.
 */
static PlannedStmt *
plan_with_gate(Query *parse, const DpPlanCall *call)
{
	Gate gate = {.query_text = call->query_text,
				 .params = call->params,
				 .next_parameter = dp_parameter_first(parse, call->params),
				 .glob = makeNode(PlannerGlobal)};

	/*
	 * Nothing may fail between opening the picture and PG_TRY, which closes
	 * it.
	 */
	DpPicture *picture = dp_picture_open();
	const char *previous = dp_refusal_set_query_text(call->query_text);
	int level = dp_release_plan_open();
	BufferUsage buffers = pgBufferUsage;
	PlannedStmt *volatile result = NULL;
	bool is_rewritten;
	bool may_ask;
	bool unseen;

	gate.glob->boundParams = call->params;
	PG_TRY();
	{
		parse = copyObject(parse);
		dp_inlined_put(parse, gate.glob);
		is_rewritten = dp_rewrite_statement(parse);
		may_ask = dp_statement_may_ask(parse);
		(void) dp_search((Node *) parse, split_blocks, &gate, 0);
		unseen = !dp_statement_check_rest(parse, gate.inner_plans != NIL);
		if (gate.inner_plans != NIL && !may_ask)
			dp_statement_refuse();
		dp_access_check_query(parse);
		result = dp_compat_plan_by(prev_planner, parse, call);
		dp_access_check_plan(result);
		if (unseen)
			dp_finished_plan_check(result);
		dp_finished_plan_merge(result, gate.glob, gate.inner_plans);
		result->dependsOnRole |= is_rewritten; /* whose rights it goes by */
		if (gate.inner_plans != NIL)
			pgBufferUsage = buffers; /* see above */
	}
	PG_FINALLY();
	{
		dp_release_plan_close(level);
		(void) dp_refusal_set_query_text(previous);
		dp_picture_close(picture);
	}
	PG_END_TRY();
	return result;
}

static PlannedStmt *
plan(Query *parse, const DpPlanCall *call)
{
	if (parse->commandType == CMD_UTILITY)
		return dp_compat_plan_by(prev_planner, parse, call);
	if (dp_search_any((Node *) parse, may_be_private, NULL) ||
		dp_access_asks_kept_back(parse))
		return plan_with_gate(parse, call);
	dp_access_check_query(parse);
	return dp_compat_plan_by(prev_planner, parse, call);
}

DP_COMPAT_PLANNER_HOOK(plan_hook, plan)

void
dp_planner_init(void)
{
	prev_planner = planner_hook;
	planner_hook = plan_hook;
	dp_access_init();
	dp_copy_table_init();
	dp_inner_plan_init();
	dp_release_path_init();
}
