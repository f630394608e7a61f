/*
 * unit_joins.c
 *		Joins of protected relations to each other, on equal privacy units.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "access/transam.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "gate/question/expression.h"
#include "gate/question/row_copies.h"
#include "gate/question/unit_joins.h"
#include "gate/question/units.h"

/* A relation to itself would have two columns of one name, in any order. */
static void
refuse_twice(const DpSubjects *subjects)
{
	ListCell *cell;

	foreach (cell, subjects->relations)
	{
		if (list_member_oid(list_copy_tail(subjects->relations,
										   foreach_current_index(cell) + 1),
							lfirst_oid(cell)))
			dp_gate_refuse("a protected relation joined to itself",
						   "Ask about it in two queries, and join their "
						   "answers.",
						   -1);
	}
}

/*
 * Units must be columns, and their equality the same for all: by which rows of
 * one unit are found in a relation is by which they are found in the others.
 */
static void
check_units(Query *query, const DpSubjects *subjects)
{
	ListCell *place;
	ListCell *unit;

	forboth (place, subjects->places, unit, subjects->units)
	{
		Var *column;

		if (lfirst_int(unit) == InvalidAttrNumber)
			dp_gate_refuse("a join of protected relations whose privacy units "
						   "are their rows",
						   "Ask the owners to protect them with privacy_unit "
						   "=> the column that tells whose a row is.",
						   -1);
		column = dp_gate_unit_column(query, (Index) lfirst_int(place),
									 (AttrNumber) lfirst_int(unit));
		if (OidIsValid(column->varcollid) &&
			!get_collation_isdeterministic(column->varcollid))
			dp_gate_refuse("a join on privacy units of a nondeterministic "
						   "collation",
						   "Ask the owner for a column of another collation.",
						   -1);
	}
}

/* Whether an operator is the equality that units of a type are grouped by. */
static bool
is_equality(Oid operator, const Var * unit)
{
	const TypeCacheEntry *type =
		lookup_type_cache(getBaseType(unit->vartype), TYPECACHE_BTREE_OPFAMILY);

	return operator<FirstNormalObjectId && OidIsValid(type->btree_opf) &&
		   get_op_opfamily_strategy(operator, type->btree_opf) ==
			   BTEqualStrategyNumber;
}

/*
 * The place of the relation whose unit a condition says to be that of one of
 * some places; 0: it says no such thing.
 */
static int
equal_unit(const DpSubjects *subjects, const Bitmapset *known, Node *condition)
{
	OpExpr *op = (OpExpr *) condition;
	int side;

	if (!IsA(condition, OpExpr) || list_length(op->args) != 2)
		return 0;
	for (side = 0; side < 2; side++)
	{
		Var *unit = dp_gate_column_of(list_nth(op->args, side));
		Var *other = dp_gate_column_of(list_nth(op->args, 1 - side));

		if (unit != NULL && other != NULL && unit->varno != other->varno &&
			dp_gate_has_subject(subjects, (Index) unit->varno) &&
			dp_gate_has_subject(subjects, (Index) other->varno) &&
			bms_is_member((int) other->varno, known) &&
			dp_gate_is_unit(subjects, unit) &&
			dp_gate_is_unit(subjects, other) && is_equality(op->opno, unit) &&
			is_equality(op->opno, other))
			return (int) unit->varno;
	}
	return 0;
}

/* Whether one of the conditions joins the relation at a place to those known. */
static bool
is_joined(const DpSubjects *subjects, const Bitmapset *known, int place,
		  List *conditions)
{
	ListCell *cell;

	foreach (cell, conditions)
	{
		if (equal_unit(subjects, known, lfirst(cell)) == place)
			return true;
	}
	return false;
}

/* Relation by relation, in whatever order they are joined. */
static void
check_joined(const DpSubjects *subjects, List *conditions)
{
	Bitmapset *known = bms_make_singleton(linitial_int(subjects->places));
	bool progress = true;
	ListCell *place;
	ListCell *own;

	while (progress)
	{
		progress = false;
		forboth (place, subjects->places, own, subjects->conditions)
		{
			if (bms_is_member(lfirst_int(place), known) ||
				!is_joined(subjects, known, lfirst_int(place),
						   lfirst(own) != NULL ? lfirst(own) : conditions))
				continue;
			known = bms_add_member(known, lfirst_int(place));
			progress = true;
		}
	}
	if (bms_num_members(known) < list_length(subjects->places))
		dp_gate_refuse("a join of protected relations on anything but their "
					   "privacy units",
					   "Join them by equality of the columns that are their "
					   "privacy units, written without casts; for an outer "
					   "join in its own ON.",
					   -1);
}

static bool
has_outer(const DpSubjects *subjects)
{
	ListCell *cell;

	foreach (cell, subjects->conditions)
	{
		if (lfirst(cell) != NULL)
			return true;
	}
	return false;
}

/* An exchange for an exchange would be two. */
static void
refuse_outer_substitution(const DpSubjects *subjects)
{
	ListCell *cell;

	foreach (cell, subjects->relations)
	{
		if (dp_gate_protection(lfirst_oid(cell))->contribution.neighbours ==
			DP_SUBSTITUTE)
			dp_gate_refuse("an outer join of protected relations whose privacy "
						   "units are substituted",
						   "Write an inner join.", -1);
	}
}

/* Privacy levels are of one relation, which pays for all of them. */
static void
refuse_levels(const DpSubjects *subjects)
{
	ListCell *cell;

	foreach (cell, subjects->relations)
	{
		if (dp_gate_levels(lfirst_oid(cell)) != NIL)
			dp_gate_refuse("a join to a protected relation with privacy levels",
						   "Ask about each of the relations by itself.", -1);
	}
}

void
dp_gate_check_unit_joins(Query *query, DpSubjects *subjects, List *conditions)
{
	ListCell *cell;

	if (linitial(subjects->conditions) != NULL)
		dp_gate_refuse("an outer join that adds to the protected relation's "
					   "rows",
					   "Write the protected relation LEFT JOIN the other "
					   "table.",
					   -1);
	subjects->several = false;
	foreach (cell, subjects->relations)
		subjects->several |=
			!dp_gate_protection(lfirst_oid(cell))->unit_is_unique;
	if (list_length(subjects->relations) == 1)
		return;
	subjects->several |= dp_gate_are_open_to_others(subjects);
	refuse_twice(subjects);
	check_units(query, subjects);
	check_joined(subjects, conditions);
	refuse_levels(subjects);
	if (has_outer(subjects))
		refuse_outer_substitution(subjects);
}

DpProtection
dp_gate_joint_protection(const DpSubjects *subjects)
{
	DpProtection joint = *dp_gate_protection(linitial_oid(subjects->relations));
	DpContribution *of_all = &joint.contribution;
	ListCell *cell;

	if (joint.unit_is_unique)
		of_all->rows = of_all->groups = 1;
	foreach (cell, subjects->relations)
	{
		const DpProtection *one = dp_gate_protection(lfirst_oid(cell));

		if (one->contribution.neighbours == DP_SUBSTITUTE)
			of_all->neighbours = DP_SUBSTITUTE;
		if (one->unit_is_unique)
			continue;
		of_all->rows = Max(of_all->rows, one->contribution.rows);
		of_all->groups = Max(of_all->groups, one->contribution.groups);
	}
	if (has_outer(subjects))
		of_all->neighbours = DP_SUBSTITUTE;
	joint.unit_is_unique = !subjects->several;
	return joint;
}

List *
dp_gate_unit_indexes(const DpSubjects *subjects)
{
	List *indexes = NIL;
	ListCell *cell;

	if (subjects->several)
		return NIL;
	foreach (cell, subjects->relations)
	{
		Oid index = dp_gate_protection(lfirst_oid(cell))->unit_index;

		if (OidIsValid(index))
			indexes = lappend_oid(indexes, index);
	}
	return indexes;
}
