/*
 * small_groups.c
 *		Groups of too few people to be shown.
 */
#include "postgres.h"

#include "gate/facts/domain.h"
#include "gate/facts/facts.h"
#include "gate/read/contribution.h"
#include "gate/read/small_groups.h"
#include "gate/relations/refusal.h"

/* Whether a column is among some expressions, or one that it equals. */
static bool
is_among(const DpNode *rows, int column, const List *exprs)
{
	Bitmapset *alike = dp_equalities_of_column(rows->facts->equal, column);

	foreach_ptr (const DpExpr, expr, exprs)
	{
		const DpExpr *one = dp_expr_column_of(expr);

		if (one != NULL && one->column.depth == 0 &&
			(one->column.number == column ||
			 bms_is_member(one->column.number, alike)))
			return true;
	}
	return false;
}

/*
 * Whether groups are of a unit each: the columns that name it are among the keys.
 * Not where people of several populations meet.
 */
static bool
are_of_one_unit(const DpNode *rows, const List *exprs)
{
	const DpOwner *owner = &rows->facts->owner;
	const DpUnitName *unit = dp_owner_value_name(owner);
	ListCell *cell;

	if (unit == NULL || list_length(owner->populations) > 1)
		return false;
	foreach (cell, unit->columns)
	{
		if (!is_among(rows, lfirst_int(cell), exprs))
			return false;
	}
	return unit->columns != NIL;
}

void
dp_small_groups_refuse_units(const DpNode *rows, List *keys, List *domains,
							 List *groupings)
{
	foreach_ptr (DpGrouping, grouping, groupings)
	{
		const Bitmapset *numbers = grouping->keys;
		List *exprs = NIL;
		bool are_private = false;
		int number = -1;

		while ((number = bms_next_member(numbers, number)) >= 0)
		{
			const DpDomain *domain = list_nth(domains, number);

			exprs = lappend(exprs, list_nth(keys, number));
			are_private |= !domain->is_public;
		}
		if (are_private && are_of_one_unit(rows, exprs))
			dp_refusal_raise(
				"a group for each privacy unit",
				"Groups of one person are not shown. Group by "
				"something else in the outermost query, or count the "
				"people, with count(DISTINCT ...).",
				((const DpExpr *) linitial(exprs))->location);
	}
}

void
dp_small_groups_keep_back(DpQuestion *question, List *relations)
{
	question->people = dp_contribution_people(relations);
	if (question->people == 1 || question->aggregates == NIL)
		return;
	question->domains = dp_domain_private(question->domains);
	dp_small_groups_refuse_units(question->node.inputs[0], question->keys,
								 question->domains, question->groupings);
}
