/*
 * owner.c
 *		Whose a node's rows are: the rules.
 */
#include "postgres.h"

#include "gate/facts/facts.h"
#include "gate/question/relations/protection.h"
#include "server/collations.h"

const DpUnitName *
dp_owner_value_name(const DpOwner *owner)
{
	return dp_names_find_value(owner->names, false);
}

const DpUnitName *
dp_owner_key_name(const DpOwner *owner)
{
	const DpUnitName *value = dp_owner_value_name(owner);

	return value != NULL ? value : dp_names_find_value(owner->names, true);
}

/*
 * Which rows are one unit's
 */

bool
dp_owner_is_determined(const DpOwner *owner, const DpEqualities *equal,
					   List *exprs)
{
	ListCell *cell;

	foreach (cell, owner->names)
	{
		if (!((const DpUnitName *) lfirst(cell))->is_open &&
			dp_names_is_among(lfirst(cell), equal, exprs))
			return true;
	}
	return false;
}

/*
 * Whether rows that agree in some expressions are one unit's: by a name, and by
 * a value where there is one. All rows of a sub-query for one row around are, if
 * a column of that names them.
 */
static bool
are_of_one_unit(const DpOwner *owner, const DpEqualities *equal, List *exprs)
{
	const DpUnitName *key = dp_owner_key_name(owner);
	ListCell *cell;

	foreach (cell, owner->names)
	{
		if (((const DpUnitName *) lfirst(cell))->depth > 0)
			return true;
	}
	foreach (cell, owner->names)
	{
		const DpUnitName *name = lfirst(cell);

		if (key != NULL && name->population == 0)
			continue;
		if (key != NULL && name->is_referring != key->is_referring)
			continue;
		if (!name->is_open && dp_names_is_among(name, equal, exprs))
			return true;
	}
	return false;
}

/*
 * Owners
 */

static void
set_problem(DpOwner *owner, DpOwnerProblem problem, int input)
{
	if (owner->problem != DP_OWNER_FINE)
		return;
	owner->problem = problem;
	owner->problem_input = input;
}

/* What is found beneath: whose people, exchanges, and problems. */
static void
add_beneath(DpOwner *owner, const DpOwner *other)
{
	owner->populations = list_union_int(owner->populations, other->populations);
	list_sort(owner->populations, list_int_cmp);
	owner->exchanges = owner->exchanges || other->exchanges;
	owner->is_loose = owner->is_loose || other->is_loose;
	set_problem(owner, other->problem, other->problem_input);
}

static bool
is_mixed(const DpOwner *owner)
{
	return list_length(owner->populations) > 1;
}

static DpOwner
owner_of_inputs(const DpNode *node)
{
	DpOwner owner = {0};
	int i;

	for (i = 0; i < node->ninputs; i++)
	{
		const DpOwner *input = &node->inputs[i]->facts->owner;

		owner.is_owned = owner.is_owned || input->is_owned;
		add_beneath(&owner, input);
	}
	return owner;
}

static DpOwner
owner_of_scan(const DpScan *scan)
{
	DpOwner owner = {.is_owned = true};
	const DpUnitName *value;

	owner.populations =
		list_make1_int(dp_gate_protection(scan->relation)->population);
	owner.names = dp_names_of_scan(scan);
	value = dp_names_find_value(owner.names, false);
	owner.is_loose =
		value != NULL &&
		dp_is_nondeterministic(
			scan->node.columns[linitial_int(value->columns)].type.collation);
	return owner;
}

/* A relation that is read only to find units of other rows, which it tells. */
static bool
is_followed(const DpNode *node)
{
	return node->kind == DP_NODE_SCAN && ((const DpScan *) node)->is_followed;
}

/*
 * The names of a join's input in the join's row, where its conditions hold: also
 * those of nullable sides that are known to have matched.
 */
static List *
names_in_row(const DpNode *join, int input)
{
	const DpNode *node = join->inputs[input];
	int offset = dp_node_offset(join, input);
	List *names = dp_names_shift(node->facts->owner.names, offset);
	ListCell *cell;

	foreach (cell, dp_equalities_matched(join))
	{
		const DpMatched *matched = lfirst(cell);

		if (matched->offset >= offset &&
			matched->offset < offset + node->ncolumns)
			names = list_concat(
				names, dp_names_shift(names_in_row(matched->left_join, 1),
									  matched->offset));
	}
	return names;
}

/* Whether names lead to units that are rows, by values or by keys. */
static bool
lead_to_rows(const List *names)
{
	ListCell *cell;

	foreach (cell, names)
	{
		Oid relation = ((const DpUnitName *) lfirst(cell))->relation;

		if (OidIsValid(relation) && dp_gate_protection(relation)->unit == 0)
			return true;
	}
	return names == NIL;
}

static DpOwnerProblem
problem_of(const List *names, const List *others)
{
	return lead_to_rows(names) || lead_to_rows(others) ? DP_OWNER_ROW_UNITS
													   : DP_OWNER_OTHER_UNITS;
}

/* The first input whose units must not meet those of a join's others; -1: none. */
static int
find_loose(const DpNode *node)
{
	int first = -1;
	int i;

	for (i = 0; i < node->ninputs; i++)
	{
		const DpOwner *input = &node->inputs[i]->facts->owner;

		if (!input->is_owned || is_followed(node->inputs[i]))
			continue;
		if (first < 0)
			first = i;
		else if (input->is_loose || node->inputs[first]->facts->owner.is_loose)
			return i;
	}
	return -1;
}

/* Adds the names of the inputs that are of one unit with the first. */
static Bitmapset *
join_names(const DpNode *node, const DpEqualities *equal, DpOwner *owner)
{
	Bitmapset *joined = NULL;
	bool more = true;
	int i;

	while (more)
	{
		more = false;
		for (i = 0; i < node->ninputs; i++)
		{
			List *names = names_in_row(node, i);

			if (!node->inputs[i]->facts->owner.is_owned ||
				bms_is_member(i, joined) ||
				(joined != NULL &&
				 !dp_names_are_one_unit(owner->names, names, equal,
										is_mixed(owner))))
				continue;
			owner->names = list_concat(owner->names, names);
			joined = bms_add_member(joined, i);
			more = true;
		}
	}
	return joined;
}

/*
 * Names by keys of a row around are left out where people of several
 * populations meet, and values are to decide.
 */
static void
drop_keys_around(DpOwner *owner)
{
	List *names = NIL;
	ListCell *cell;

	if (!is_mixed(owner) || !dp_names_have_value(owner->names))
		return;
	foreach (cell, owner->names)
	{
		const DpUnitName *name = lfirst(cell);

		if (name->depth == 0 || name->population != 0)
			names = lappend(names, lfirst(cell));
	}
	owner->names = names;
}

static DpOwner
owner_of_join(const DpNode *node, const DpEqualities *equal)
{
	DpOwner owner = owner_of_inputs(node);
	Bitmapset *joined = join_names(node, equal, &owner);
	int loose = find_loose(node);
	int i;

	for (i = 0; i < node->ninputs; i++)
	{
		if (i == loose)
			set_problem(&owner, DP_OWNER_COLLATION, i);
		else if (node->inputs[i]->facts->owner.is_owned &&
				 !bms_is_member(i, joined))
			set_problem(&owner, problem_of(owner.names, names_in_row(node, i)),
						i);
	}
	owner.names = dp_names_add_around(owner.names, equal);
	drop_keys_around(&owner);
	return owner;
}

static DpOwner
owner_of_left_join(const DpNode *node, const DpEqualities *equal)
{
	const DpOwner *left = &node->inputs[0]->facts->owner;
	const DpOwner *right = &node->inputs[1]->facts->owner;
	DpOwner owner = owner_of_inputs(node);

	owner.is_owned = left->is_owned;
	owner.names = left->names;
	if (!right->is_owned)
		return owner;
	if (!left->is_owned)
		set_problem(&owner, DP_OWNER_ADDS_TO_PUBLIC, 1);
	else if (find_loose(node) >= 0)
		set_problem(&owner, DP_OWNER_COLLATION, 1);
	else if (!dp_names_are_one_unit(names_in_row(node, 0),
									names_in_row(node, 1), equal,
									is_mixed(&owner)))
		set_problem(&owner, problem_of(left->names, right->names), 1);
	drop_keys_around(&owner);
	owner.exchanges = owner.exchanges || is_mixed(&owner);
	return owner;
}

static DpOwner
owner_of_group(const DpGroup *group, const DpEqualities *equal)
{
	DpOwner owner = owner_of_inputs(&group->node);
	const DpOwner *input = &group->node.inputs[0]->facts->owner;

	if (!owner.is_owned)
		return owner;
	if (!are_of_one_unit(input, equal, group->keys))
		set_problem(&owner, DP_OWNER_GROUPS_OF_OTHERS, 0);
	owner.names = dp_names_among(input->names, equal, group->keys);
	owner.exchanges = owner.exchanges || is_mixed(&owner);
	return owner;
}

static DpOwner
owner_of_window(const DpWindow *window, const DpEqualities *equal)
{
	DpOwner owner = owner_of_inputs(&window->node);
	const DpOwner *input = &window->node.inputs[0]->facts->owner;
	ListCell *cell;

	if (!owner.is_owned)
		return owner;
	foreach (cell, window->frames)
	{
		const DpWindowFrame *frame = lfirst(cell);

		if (!are_of_one_unit(input, equal, frame->partition))
			set_problem(&owner, DP_OWNER_WINDOW_OF_OTHERS,
						foreach_current_index(cell));
	}
	owner.names = input->names;
	owner.exchanges = owner.exchanges || is_mixed(&owner);
	return owner;
}

static DpOwner
owner_of_union(const DpNode *node)
{
	DpOwner owner = owner_of_inputs(node);
	int without = 0;
	int i;

	if (!owner.is_owned)
		return owner;
	for (i = 0; i < node->ninputs; i++)
	{
		if (!node->inputs[i]->facts->owner.is_owned)
			set_problem(&owner, DP_OWNER_UNION_OF_PUBLIC, i);
	}
	owner.names = dp_names_of_all(node, &without);
	if (owner.names == NIL)
		set_problem(&owner, DP_OWNER_UNION_OF_OTHERS, without);
	owner.exchanges = owner.exchanges || is_mixed(&owner);
	return owner;
}

static DpOwner
owner_of_project(const DpProject *project, const DpEqualities *equal)
{
	DpOwner owner = owner_of_inputs(&project->node);
	const DpOwner *input = &project->node.inputs[0]->facts->owner;

	owner.names = dp_names_among(input->names, equal, project->exprs);
	if (owner.names == NIL && input->names != NIL)
		set_problem(&owner, DP_OWNER_NAMELESS, 0);
	return owner;
}

/* What follows from the node's inputs. */
static DpOwner
owner_by_kind(const DpNode *node, const DpEqualities *equal)
{
	DpOwner owner = {0};

	switch (node->kind)
	{
		case DP_NODE_PUBLIC:
			break;
		case DP_NODE_SCAN:
			return owner_of_scan((const DpScan *) node);
		case DP_NODE_JOIN:
			return owner_of_join(node, equal);
		case DP_NODE_LEFT_JOIN:
			return owner_of_left_join(node, equal);
		case DP_NODE_GROUP:
			return owner_of_group((const DpGroup *) node, equal);
		case DP_NODE_WINDOW:
			return owner_of_window((const DpWindow *) node, equal);
		case DP_NODE_UNION:
			return owner_of_union(node);
		case DP_NODE_VIEW:
			return node->inputs[0]->facts->owner;
		case DP_NODE_PROJECT:
			return owner_of_project((const DpProject *) node, equal);
		case DP_NODE_RELEASE:
			return owner_of_inputs(node);
	}
	return owner;
}

/* What sub-queries in a node's expressions are checked against. */
typedef struct Row
{
	DpOwner *owner;		  /* of the node, to which it is added */
	const DpOwner *names; /* of the row */
	const DpEqualities *equal;
} Row;

static bool
add_subquery(const DpExpr *expr, void *context)
{
	Row *row = context;
	const DpOwner *own;
	Bitmapset *not_null;
	DpOwnerProblem problem;

	if (expr->kind != DP_EXPR_SUBQUERY)
		return false;
	own = &expr->subquery->rows->facts->owner;
	problem = dp_owner_of_subquery(expr, row->names, row->equal, &not_null);
	if (problem == DP_OWNER_FINE && !bms_is_empty(not_null))
		problem = DP_OWNER_SUBQUERY;
	set_problem(row->owner, problem, 0);
	if (!own->is_owned)
		return false;
	add_beneath(row->owner, own);
	row->owner->exchanges = row->owner->exchanges || is_mixed(row->owner);
	return false;
}

DpOwner
dp_owner_of_node(const DpNode *node, const DpEqualities *equal)
{
	DpOwner owner = owner_by_kind(node, equal);

	/* In a match, the row of a left join is that of an inner one. */
	DpOwner joined =
		node->kind == DP_NODE_LEFT_JOIN ? owner_of_join(node, equal) : owner;
	Row row = {&owner,
			   node->kind == DP_NODE_JOIN || node->ninputs != 1
				   ? &joined
				   : &node->inputs[0]->facts->owner,
			   equal};
	ListCell *cell;

	foreach (cell, dp_node_exprs(node))
		(void) dp_expr_visit(lfirst(cell), add_subquery, &row);
	return owner;
}
