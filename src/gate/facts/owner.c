/*
 * owner.c
 *		Whose a node's rows are: the rules.
 */
#include "postgres.h"

#include "gate/facts/facts.h"
#include "gate/question/relations/protection.h"
#include "server/collations.h"

/*
 * Names
 */

static const DpUnitName *
find_value(const List *names, bool is_referring)
{
	ListCell *cell;

	foreach (cell, names)
	{
		const DpUnitName *name = lfirst(cell);

		if (name->population != 0 && name->depth == 0 &&
			name->is_referring == is_referring)
			return name;
	}
	return NULL;
}

const DpUnitName *
dp_owner_value_name(const DpOwner *owner)
{
	return find_value(owner->names, false);
}

const DpUnitName *
dp_owner_key_name(const DpOwner *owner)
{
	const DpUnitName *value = dp_owner_value_name(owner);

	return value != NULL ? value : find_value(owner->names, true);
}

/* Whether some name, of whichever row, is by a value. */
static bool
have_value(const List *names)
{
	ListCell *cell;

	foreach (cell, names)
	{
		if (((const DpUnitName *) lfirst(cell))->population != 0)
			return true;
	}
	return false;
}

/* Whether names are of units that are rows. */
static bool
are_of_rows(const List *names)
{
	ListCell *cell;

	foreach (cell, names)
	{
		const DpUnitName *name = lfirst(cell);

		if (name->population != 0 && OidIsValid(name->relation))
			return true;
	}
	return false;
}

/*
 * Whether names of rows that meet are one unit's: by value, or by a key. Where
 * people of several populations meet, values decide if both rows have one; and
 * where units are rows.
 */
static bool
are_one_unit(const List *names, const List *others, const DpEqualities *equal,
			 bool is_mixed)
{
	bool by_key = false;
	ListCell *one;
	ListCell *other;

	foreach (one, names)
	{
		foreach (other, others)
		{
			if (!dp_names_are_equal(lfirst(one), lfirst(other), equal))
				continue;
			if (((const DpUnitName *) lfirst(one))->population != 0)
				return true;
			by_key = true;
		}
	}
	if (are_of_rows(names) && are_of_rows(others))
		return false;
	return by_key && (!is_mixed || !have_value(names) || !have_value(others));
}

/* Whether a name tells whose a row is, among all rows that have its values. */
static bool
is_certain(const DpUnitName *name)
{
	return !name->is_open;
}

bool
dp_owner_is_determined(const DpOwner *owner, const DpEqualities *equal,
					   List *exprs)
{
	ListCell *cell;

	foreach (cell, owner->names)
	{
		if (is_certain(lfirst(cell)) &&
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
		if (is_certain(name) && dp_names_is_among(name, equal, exprs))
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
	value = find_value(owner.names, false);
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

static DpOwnerProblem
problem_of(const List *names, const List *others)
{
	return names == NIL || others == NIL || are_of_rows(names) ||
				   are_of_rows(others)
			   ? DP_OWNER_ROW_UNITS
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
				 !are_one_unit(owner->names, names, equal, is_mixed(owner))))
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

	if (!is_mixed(owner) || !have_value(owner->names))
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
	else if (!are_one_unit(names_in_row(node, 0), names_in_row(node, 1), equal,
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

/*
 * Sub-queries
 */

/* Whether a column, null or not, is one of a name that tells whose a row is. */
static bool
is_of_name(const List *names, const DpEqualities *equal, DpColumnName column)
{
	ListCell *cell;
	ListCell *other;

	foreach (cell, names)
	{
		const DpUnitName *name = lfirst(cell);

		foreach (other, is_certain(name) ? name->columns : NIL)
		{
			if (dp_equalities_has(
					equal, (DpColumnName){name->depth, lfirst_int(other)},
					column))
				return true;
		}
	}
	return false;
}

/* Seen from within the sub-query: its own columns are what is compared. */
static const DpExpr *
compare_within(const DpExpr *expr, int depth, void *context)
{
	DpColumnName name = {0, expr->parameter};

	(void) context;
	if (depth > 0)
		return NULL;
	if (expr->kind == DP_EXPR_COLUMN)
		return dp_expr_deepen(expr, 1);
	if (expr->kind == DP_EXPR_COMPARED)
		return dp_expr_column(name, expr->type, expr->location);
	return NULL;
}

static bool
compares_columns(const DpExpr *arm)
{
	int i;

	for (i = 0; i < arm->nargs; i++)
	{
		const DpExpr *arg = arm->args[i];

		while (arg->kind == DP_EXPR_RELABEL)
			arg = arg->args[0];
		if (arg->kind != DP_EXPR_COLUMN && arg->kind != DP_EXPR_COMPARED)
			return false;
	}
	return arm->kind == DP_EXPR_CALL;
}

/*
 * Adds an arm of the comparison of IN, if it compares what names a unit with
 * what does around; see owner.h for why nothing else counts.
 */
static DpEqualities *
learn_compared(DpEqualities *known, const DpExpr *arm, const List *around,
			   const List *names, Bitmapset **compared)
{
	DpEqualities *own =
		compares_columns(arm)
			? dp_equalities_learn(NIL,
								  dp_expr_change(arm, compare_within, NULL))
			: NIL;
	const DpExpr *one;
	const DpExpr *other;

	if (own == NIL)
		return known;
	one = linitial((List *) linitial(own));
	other = lsecond((List *) linitial(own));
	if (one->column.depth == 0)
	{
		const DpExpr *within = one;

		one = other;
		other = within;
	}
	if (one->column.depth == 0 || other->column.depth != 0 ||
		!is_of_name(around, known, one->column) ||
		!is_of_name(names, known, other->column))
		return known;
	*compared = bms_add_member(*compared, other->column.number);
	return dp_equalities_add(known, one, other);
}

/* Columns that are not null by conditions of their own. */
static Bitmapset *
columns_not_null(const DpNode *node)
{
	Bitmapset *columns = NULL;
	ListCell *cell;

	if (node->kind != DP_NODE_JOIN)
		return NULL;
	foreach (cell, ((const DpJoin *) node)->conditions)
	{
		const DpExpr *test = lfirst(cell);

		if (test->kind == DP_EXPR_NULL_TEST && test->is_negated &&
			test->args[0]->kind == DP_EXPR_COLUMN &&
			test->args[0]->column.depth == 0)
			columns = bms_add_member(columns, test->args[0]->column.number);
	}
	return columns;
}

DpOwnerProblem
dp_owner_of_subquery(const DpExpr *expr, const DpOwner *row_owner,
					 const DpEqualities *row_equal, Bitmapset **not_null)
{
	const DpNode *rows = expr->subquery->rows;
	const DpOwner *own = &rows->facts->owner;
	List *around = dp_names_deepen(row_owner->names);
	DpEqualities *known =
		dp_equalities_join(dp_equalities_deepen(row_equal), rows->facts->equal);
	ListCell *cell;

	*not_null = NULL;
	if (!own->is_owned)
		return own->problem;
	if (!row_owner->is_owned)
		return DP_OWNER_SUBQUERY_OF_PUBLIC;
	if (own->is_loose || row_owner->is_loose)
		return DP_OWNER_SUBQUERY_COLLATION;
	if (own->problem != DP_OWNER_FINE)
		return DP_OWNER_SUBQUERY;
	if (are_one_unit(around, own->names, known, is_mixed(own)))
		return DP_OWNER_FINE;
	foreach (cell, expr->subquery->form == ANY_SUBLINK
					   ? dp_expr_arms(expr->args[0], NIL)
					   : NIL)
		known =
			learn_compared(known, lfirst(cell), around, own->names, not_null);
	if (!are_one_unit(around, own->names, known, is_mixed(own)))
		return DP_OWNER_SUBQUERY;
	*not_null = bms_difference(*not_null, columns_not_null(rows));
	return DP_OWNER_FINE;
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
	DpOwner joined = owner;
	bool is_join =
		node->kind == DP_NODE_JOIN || node->kind == DP_NODE_LEFT_JOIN;
	Row row = {&owner,
			   is_join || node->ninputs != 1 ? &joined
											 : &node->inputs[0]->facts->owner,
			   equal};
	ListCell *cell;

	foreach (cell, dp_node_exprs(node))
		(void) dp_expr_visit(lfirst(cell), add_subquery, &row);
	return owner;
}
