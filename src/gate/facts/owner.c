/*
 * owner.c
 *		Whose a node's rows are: the rules.
 */
#include "postgres.h"

#include "gate/facts/facts.h"
#include "gate/facts/references.h"
#include "gate/facts/subquery_owner.h"
#include "gate/relations/protection.h"
#include "server/collations.h"
#include "server/ownership.h"

/*
 * Which rows are one unit's
 */

const DpUnitName *
dp_owner_value_name(const DpOwner *owner)
{
	foreach_ptr (const DpUnitName, name, owner->names)
	{
		if (name->population != 0 && name->depth == 0)
			return name;
	}
	return NULL;
}

/*
 * Whether rows that agree in some expressions are one unit's, by a name. All rows
 * of a sub-query for one row around are, if a column of that names them.
 */
static bool
are_named(const DpOwner *owner, const DpEqualities *equal, List *exprs,
		  bool by_keys)
{
	foreach_ptr (const DpUnitName, name,
				 dp_names_among(owner->names, equal, exprs))
	{
		if (name->depth > 0 ||
			(!name->is_open && (by_keys || name->population != 0)))
			return true;
	}
	return false;
}

bool
dp_owner_is_determined(const DpOwner *owner, const DpEqualities *equal,
					   List *exprs)
{
	return are_named(owner, equal, exprs, true);
}

/* The same, by a value where there is one. */
static bool
are_of_one_unit(const DpOwner *owner, const DpEqualities *equal, List *exprs)
{
	return are_named(owner, equal, exprs, dp_owner_value_name(owner) == NULL);
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

/* What is found beneath: whose people and relations, exchanges, and problems. */
static void
add_beneath(DpOwner *owner, const DpOwner *other)
{
	owner->populations = list_union_int(owner->populations, other->populations);
	list_sort(owner->populations, list_int_cmp);
	owner->hosts = list_union_oid(owner->hosts, other->hosts);
	list_sort(owner->hosts, list_oid_cmp);
	owner->exchanges |= other->exchanges;
	owner->is_loose |= other->is_loose;
	set_problem(owner, other->problem, other->problem_input);
}

/* Adds what names another's rows that are of one unit with its own. */
static void
add_names(DpOwner *owner, const DpOwner *other, List *names)
{
	owner->names = list_concat(owner->names, names);
	owner->has_value |= other->has_value;
	owner->has_row |= other->has_row;
}

/* Without names. */
static DpOwner
owner_of_inputs(const DpNode *node)
{
	DpOwner owner = {0};
	int i;

	for (i = 0; i < node->ninputs; i++)
	{
		const DpOwner *input = &node->inputs[i]->facts->owner;

		owner.is_owned |= input->is_owned;
		add_beneath(&owner, input);
	}
	return owner;
}

/* Where rows may take others' places if they are of several populations. */
static void
may_exchange(DpOwner *owner)
{
	owner->exchanges |= list_length(owner->populations) > 1;
}

static DpOwner
owner_of_scan(const DpScan *scan)
{
	DpOwner owner = {.is_owned = true};
	const DpUnitName *value;

	owner.populations =
		list_make1_int(dp_protection_of(scan->relation)->population);
	owner.hosts = list_make1_oid(dp_owner_of(scan->relation));
	owner.names = dp_scan_names(scan);
	owner.references = dp_references_of_scan(scan);
	value = dp_owner_value_name(&owner);
	owner.has_value = value != NULL;
	owner.has_row = owner.has_value && OidIsValid(value->relation);
	owner.is_loose =
		owner.has_value &&
		dp_is_nondeterministic(
			scan->node.columns[linitial_int(value->columns)].type.collation);
	return owner;
}

/*
 * Joins
 */

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

	foreach_ptr (const DpMatched, matched, dp_equalities_matched(join))
	{
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
	foreach_ptr (const DpUnitName, name, names)
	{
		Oid relation = name->relation;

		if (OidIsValid(relation) && dp_protection_of(relation)->unit == 0)
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

/*
 * Adds inputs that are of one unit with those that are joined, or the first. What
 * is followed is of one unit with what refers to it, whatever tells so: it comes
 * after all others, which must be of one unit without it.
 */
static Bitmapset *
join_inputs(const DpNode *node, const DpEqualities *equal, bool followed,
			Bitmapset *joined, DpOwner *owner)
{
	int i;

	for (i = 0; i < node->ninputs; i++)
	{
		const DpOwner *input = &node->inputs[i]->facts->owner;
		List *names;

		if (!input->is_owned || is_followed(node->inputs[i]) != followed ||
			bms_is_member(i, joined))
			continue;
		names = names_in_row(node, i);
		if (joined != NULL && !followed &&
			!dp_names_are_one_unit(
				owner->names, names, equal,
				dp_owned_trusts_keys(owner, input, owner->hosts)))
			continue;
		add_names(owner, input, names);
		joined = bms_add_member(joined, i);
		i = -1; /* others may be of one unit with this one */
	}
	return joined;
}

static DpOwner
owner_of_join(const DpNode *node, const DpEqualities *equal)
{
	DpOwner owner = owner_of_inputs(node);
	Bitmapset *joined = join_inputs(node, equal, false, NULL, &owner);
	int loose = find_loose(node);
	int i;

	joined = join_inputs(node, equal, true, joined, &owner);
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
	owner.references = dp_references_in_row(node);
	return owner;
}

bool
dp_owner_is_matched(const DpNode *left_join)
{
	return left_join->kind == DP_NODE_LEFT_JOIN &&
		   !left_join->inputs[0]->facts->owner.is_owned &&
		   left_join->inputs[1]->facts->owner.is_owned;
}

static DpOwner
owner_of_left_join(const DpNode *node, const DpEqualities *equal)
{
	const DpOwner *left = &node->inputs[0]->facts->owner;
	const DpOwner *right = &node->inputs[1]->facts->owner;
	DpOwner owner = owner_of_inputs(node);

	if (dp_owner_is_matched(node))
		return owner_of_join(node, equal);
	owner.is_owned = left->is_owned;
	add_names(&owner, left, list_copy(left->names));
	owner.references = dp_references_in_row(node);
	if (!right->is_owned)
		return owner;
	if (find_loose(node) >= 0)
		set_problem(&owner, DP_OWNER_COLLATION, 1);
	else if (!dp_names_are_one_unit(
				 names_in_row(node, 0), names_in_row(node, 1), equal,
				 dp_owned_trusts_keys(left, right, owner.hosts)))
		set_problem(&owner, problem_of(left->names, right->names), 1);
	may_exchange(&owner);
	return owner;
}

/*
 * Nodes
 */

static DpOwner
owner_of_window(const DpWindow *window, const DpOwner *input,
				const DpEqualities *equal, DpOwner owner)
{
	foreach_ptr (const DpWindowFrame, frame, window->frames)
	{
		if (!are_of_one_unit(input, equal, frame->partition))
			set_problem(&owner, DP_OWNER_WINDOW_OF_OTHERS,
						foreach_current_index(frame));
	}
	owner.names = input->names;
	owner.references = input->references;
	return owner;
}

static DpOwner
owner_of_union(const DpNode *node, DpOwner owner)
{
	int without = 0;
	int i;

	for (i = 0; i < node->ninputs; i++)
	{
		const DpOwner *input = &node->inputs[i]->facts->owner;

		if (!input->is_owned)
			set_problem(&owner, DP_OWNER_UNION_OF_PUBLIC, i);
		add_names(&owner, input, NIL);
	}
	owner.names = dp_names_of_all(node, &without);
	if (owner.names == NIL)
		set_problem(&owner, DP_OWNER_UNION_OF_OTHERS, without);
	return owner;
}

/* Of what combines rows of one input, or of several by UNION ALL. */
static DpOwner
owner_of_combined(const DpNode *node, const DpEqualities *equal)
{
	DpOwner owner = owner_of_inputs(node);
	const DpOwner *input = &node->inputs[0]->facts->owner;
	List *keys;

	if (!owner.is_owned)
		return owner;
	may_exchange(&owner);
	if (node->kind == DP_NODE_UNION)
		return owner_of_union(node, owner);
	add_names(&owner, input, NIL);
	if (node->kind == DP_NODE_WINDOW)
		return owner_of_window((const DpWindow *) node, input, equal, owner);
	keys = ((const DpGroup *) node)->keys;
	if (!are_of_one_unit(input, equal, keys))
		set_problem(&owner, DP_OWNER_GROUPS_OF_OTHERS, 0);
	owner.names = dp_names_among(input->names, equal, keys);
	owner.references = dp_names_among(input->references, equal, keys);
	return owner;
}

static DpOwner
owner_of_project(const DpProject *project, const DpEqualities *equal)
{
	DpOwner owner = project->node.inputs[0]->facts->owner;
	bool is_named = owner.names != NIL;

	owner.names = dp_names_among(owner.names, equal, project->exprs);
	owner.references = dp_names_among(owner.references, equal, project->exprs);
	if (owner.names == NIL && is_named)
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
		case DP_NODE_WINDOW:
		case DP_NODE_UNION:
			return owner_of_combined(node, equal);
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
	problem = dp_subquery_owner(expr, row->names, row->equal, &not_null);
	if (problem == DP_OWNER_FINE && !bms_is_empty(not_null))
		problem = DP_OWNER_SUBQUERY;
	set_problem(row->owner, problem, 0);
	if (!own->is_owned)
		return false;
	add_beneath(row->owner, own);
	may_exchange(row->owner);
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

	foreach_ptr (const DpExpr, expr, dp_node_exprs(node))
		(void) dp_expr_visit(expr, add_subquery, &row);
	return owner;
}
