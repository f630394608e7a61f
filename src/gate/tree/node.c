/*
 * node.c
 *		Makes nodes, and walks over them.
 */
#include "postgres.h"

#include "catalog/heap.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "gate/tree/node.h"

static void
fill(DpNode *node, DpNodeKind kind, List *inputs, int ncolumns, int location)
{
	const ListCell *lc;

	node->kind = kind;
	node->location = location;
	node->ncolumns = ncolumns;
	node->columns = palloc0(ncolumns * sizeof(DpColumn));
	node->inputs = palloc0(list_length(inputs) * sizeof(DpNode *));
	foreach (lc, inputs)
		node->inputs[node->ninputs++] = lfirst(lc);
}

static DpColumn *
columns_of(DpNode *node)
{
	return (DpColumn *) node->columns; /* nobody else sees it yet */
}

/* Puts the columns of the inputs, one after the other, first. */
static void
take_inputs(DpNode *node)
{
	DpColumn *column = columns_of(node);

	for (int i = 0; i < node->ninputs; i++)
	{
		const DpNode *input = node->inputs[i];

		memcpy(column, input->columns, input->ncolumns * sizeof(DpColumn));
		column += input->ncolumns;
	}
}

static int
width_of(List *inputs)
{
	int columns = 0;

	foreach_ptr (const DpNode, node, inputs)
		columns += node->ncolumns;
	return columns;
}

/*
 * Columns for expressions, from this one on; names may be fewer. Returns how many
 * there are then.
 */
static int
take_exprs(DpNode *node, int from, List *exprs, List *names)
{
	foreach_ptr (const DpExpr, expr, exprs)
	{
		columns_of(node)[from] = (DpColumn){
			.name = from < list_length(names) ? list_nth(names, from) : NULL,
			.type = expr->type};
		from++;
	}
	return from;
}

static DpColumn
column_of_relation(Oid relation, AttrNumber attribute)
{
	DpColumn column;

	if (attribute < 0)
	{
		const FormData_pg_attribute *system =
			SystemAttributeDefinition(attribute);

		return (DpColumn){NameStr(system->attname),
						  {system->atttypid, -1, InvalidOid}};
	}
	column.name = get_attname(relation, attribute, false);
	get_atttypetypmodcoll(relation, attribute, &column.type.oid,
						  &column.type.typmod, &column.type.collation);
	return column;
}

DpScan *
dp_node_scan(Oid relation, const AttrNumber *attributes, int ncolumns,
			 int location)
{
	DpScan *scan = palloc0_object(DpScan);
	int i;

	fill(&scan->node, DP_NODE_SCAN, NIL, ncolumns, location);
	for (i = 0; i < ncolumns; i++)
		columns_of(&scan->node)[i] =
			column_of_relation(relation, attributes[i]);
	scan->relation = relation;
	scan->attributes = attributes;
	return scan;
}

DpPublicRows *
dp_node_public(Query *statement, const char *name, List *names, int location)
{
	DpPublicRows *rows = palloc0_object(DpPublicRows);
	int column = 0;

	fill(&rows->node, DP_NODE_PUBLIC, NIL,
		 ExecCleanTargetListLength(statement->targetList), location);
	rows->statement = statement;
	rows->name = name;
	foreach_ptr (const TargetEntry, entry, statement->targetList)
	{
		const Node *expr = (const Node *) entry->expr;

		if (entry->resjunk)
			continue;
		columns_of(&rows->node)[column] = (DpColumn){
			.name = list_nth(names, column),
			.type = {exprType(expr), exprTypmod(expr), exprCollation(expr)}};
		column++;
	}
	return rows;
}

static DpJoin *
make_join(DpNodeKind kind, List *inputs, List *conditions, int location)
{
	DpJoin *join = palloc0_object(DpJoin);

	fill(&join->node, kind, inputs, width_of(inputs), location);
	take_inputs(&join->node);
	join->conditions = conditions;
	return join;
}

DpJoin *
dp_node_join(List *inputs, List *items, List *conditions, int location)
{
	DpJoin *join = make_join(DP_NODE_JOIN, inputs, conditions, location);

	Assert(list_length(items) == list_length(inputs));
	join->items = items;
	return join;
}

DpJoin *
dp_node_left_join(const DpNode *left, const DpNode *right, List *conditions,
				  int location)
{
	DpJoin *join =
		make_join(DP_NODE_LEFT_JOIN, list_make2((void *) left, (void *) right),
				  conditions, location);

	join->items = list_make2_int(0, 0);
	return join;
}

DpGroup *
dp_node_group(const DpNode *input, List *keys, List *aggregates, List *names,
			  int location)
{
	DpGroup *group = palloc0_object(DpGroup);
	int nkeys;

	fill(&group->node, DP_NODE_GROUP, list_make1((void *) input),
		 list_length(keys) + list_length(aggregates), location);
	nkeys = take_exprs(&group->node, 0, keys, names);
	take_exprs(&group->node, nkeys, aggregates, names);
	group->keys = keys;
	group->aggregates = aggregates;
	return group;
}

DpWindow *
dp_node_window(const DpNode *input, List *calls, List *frames, int location)
{
	DpWindow *window = palloc0_object(DpWindow);

	fill(&window->node, DP_NODE_WINDOW, list_make1((void *) input),
		 input->ncolumns + list_length(calls), location);
	take_inputs(&window->node);
	take_exprs(&window->node, input->ncolumns, calls, NIL);
	window->calls = calls;
	window->frames = frames;
	return window;
}

DpNode *
dp_node_union(List *inputs, const DpType *types, int location)
{
	DpNode *node = palloc0_object(DpNode);
	const DpNode *first = linitial(inputs);

	fill(node, DP_NODE_UNION, inputs, first->ncolumns, location);
	for (int i = 0; i < first->ncolumns; i++)
		columns_of(node)[i] = (DpColumn){first->columns[i].name, types[i]};
	return node;
}

DpView *
dp_node_view(const DpNode *input, Oid relation, const AttrNumber *attributes,
			 int location)
{
	DpView *view = palloc0_object(DpView);

	fill(&view->node, DP_NODE_VIEW, list_make1((void *) input), input->ncolumns,
		 location);
	take_inputs(&view->node);
	view->relation = relation;
	view->attributes = attributes;
	return view;
}

DpProject *
dp_node_project(const DpNode *input, List *exprs, List *names)
{
	DpProject *project = palloc0_object(DpProject);

	fill(&project->node, DP_NODE_PROJECT, list_make1((void *) input),
		 list_length(exprs), -1);
	take_exprs(&project->node, 0, exprs, names);
	project->exprs = exprs;
	return project;
}

DpQuestion *
dp_node_question(const DpNode *input, List *keys, List *groupings,
				 List *aggregates, List *names, int location)
{
	DpQuestion *question = palloc0_object(DpQuestion);
	int column;

	fill(&question->node, DP_NODE_RELEASE, list_make1((void *) input),
		 list_length(keys) + list_length(aggregates), location);
	column = take_exprs(&question->node, 0, keys, names);
	foreach_ptr (const DpAsked, asked, aggregates)
	{
		const Node *aggref = (const Node *) asked->aggref;

		columns_of(&question->node)[column] = (DpColumn){
			.name =
				column < list_length(names) ? list_nth(names, column) : NULL,
			.type = {exprType(aggref), exprTypmod(aggref),
					 exprCollation(aggref)}};
		column++;
	}
	question->keys = keys;
	question->groupings = groupings;
	question->aggregates = aggregates;
	return question;
}

int
dp_node_place(const AttrNumber *attributes, int ncolumns, int attribute)
{
	int column = ncolumns - 1;

	while (column >= 0 && attributes[column] != attribute)
		column--;
	return column;
}

int
dp_node_offset(const DpNode *join, int input)
{
	int columns = 0;

	Assert(input < join->ninputs);
	for (int i = 0; i < input; i++)
		columns += join->inputs[i]->ncolumns;
	return columns;
}

const DpExpr *
dp_node_column(const DpNode *node, int number)
{
	return dp_expr_column((DpColumnName){0, number}, node->columns[number].type,
						  -1);
}

int
dp_node_row_width(const DpNode *node)
{
	int columns = 0;

	if (node->kind == DP_NODE_UNION)
		return node->ncolumns;
	for (int i = 0; i < node->ninputs; i++)
		columns += node->inputs[i]->ncolumns;
	return columns;
}

static const DpNodeLayout layouts[] = {
	[DP_NODE_SCAN] = {sizeof(DpScan), {0}},
	[DP_NODE_PUBLIC] = {sizeof(DpPublicRows), {0}},
	[DP_NODE_JOIN] = {sizeof(DpJoin), {offsetof(DpJoin, conditions)}},
	[DP_NODE_LEFT_JOIN] = {sizeof(DpJoin), {offsetof(DpJoin, conditions)}},
	[DP_NODE_GROUP] = {sizeof(DpGroup),
					   {offsetof(DpGroup, keys),
						offsetof(DpGroup, aggregates)}},
	[DP_NODE_WINDOW] = {sizeof(DpWindow), {offsetof(DpWindow, calls)}},
	[DP_NODE_UNION] = {sizeof(DpNode), {0}},
	[DP_NODE_VIEW] = {sizeof(DpView), {0}},
	[DP_NODE_PROJECT] = {sizeof(DpProject), {offsetof(DpProject, exprs)}},
	[DP_NODE_RELEASE] = {sizeof(DpQuestion), {offsetof(DpQuestion, keys)}},
};

const DpNodeLayout *
dp_node_layout(DpNodeKind kind)
{
	return &layouts[kind];
}

List *
dp_node_exprs(const DpNode *node)
{
	const size_t *at;
	List *exprs = NIL;

	for (at = layouts[node->kind].exprs; *at != 0; at++)
		exprs =
			list_concat(exprs, *(List *const *) ((const char *) node + *at));
	foreach_ptr (
		const DpWindowFrame, frame,
		node->kind == DP_NODE_WINDOW ? ((const DpWindow *) node)->frames : NIL)
	{
		exprs = list_concat(exprs, frame->partition);
		exprs = list_concat(exprs, frame->order);
	}
	foreach_ptr (const DpAsked, asked,
				 node->kind == DP_NODE_RELEASE
					 ? ((const DpQuestion *) node)->aggregates
					 : NIL)
	{
		exprs = list_concat(exprs, asked->args);
		if (asked->filter != NULL)
			exprs = lappend(exprs, (void *) asked->filter);
	}
	return exprs;
}

typedef struct Visit
{
	DpNodeVisit of_node;
	DpExprVisit of_expr;
	void *context;
	int depth; /* sub-query expressions around */
} Visit;

static bool visit_node(const DpNode *node, Visit *visit);

static bool
visit_expr(const DpExpr *expr, void *context)
{
	Visit *visit = context;
	Visit deeper = *visit;

	if (visit->of_expr != NULL && visit->of_expr(expr, visit->context))
		return true;
	deeper.depth++;
	return expr->kind == DP_EXPR_SUBQUERY &&
		   visit_node(expr->subquery->rows, &deeper);
}

static bool
visit_node(const DpNode *node, Visit *visit)
{
	List *exprs = dp_node_exprs(node);
	const ListCell *lc;

	if (visit->of_node != NULL &&
		visit->of_node(node, visit->depth, visit->context))
		return true;
	for (int i = 0; i < node->ninputs; i++)
		if (visit_node(node->inputs[i], visit))
			return true;
	foreach (lc, exprs)
		if (dp_expr_visit(lfirst(lc), visit_expr, visit))
			return true;
	return false;
}

bool
dp_node_visit(const DpNode *node, DpNodeVisit visit, DpExprVisit of_expr,
			  void *context)
{
	Visit whole = {visit, of_expr, context, 0};

	return visit_node(node, &whole);
}
