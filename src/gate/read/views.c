/*
 * views.c
 *		Reads protected views: sub-queries with settings of their own.
 */
#include "postgres.h"

#include "nodes/parsenodes.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "gate/facts/facts.h"
#include "gate/question/relations/protection.h"
#include "gate/read/lent.h"
#include "gate/read/queries.h"
#include "gate/read/scans.h"
#include "gate/read/views.h"
#include "server/ownership.h"

/*
 * Adds the view's name to messages of the rules, which only know sub-queries.
 */
static void
name_view(void *view)
{
	errcontext("protected view \"%s\"", (const char *) view);
}

/* Whether a column of the view is the unit of all its rows. */
static bool
is_unit_column(const DpNode *rows, AttrNumber column, int visible)
{
	const DpUnitName *name = dp_owner_value_name(&rows->facts->owner);

	return column > 0 && column <= visible && name != NULL &&
		   list_length(name->columns) == 1 &&
		   bms_is_member(column - 1,
						 dp_equalities_of_column(rows->facts->equal,
												 linitial_int(name->columns)));
}

static void
check_unit(Oid view, AttrNumber unit, const DpNode *rows, int visible)
{
	if (unit == 0 || is_unit_column(rows, unit, visible))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("%s", unit < 0
							  ? "the privacy unit of a protected view is no "
								"column of it"
							  : psprintf("column \"%s\" of a protected view is "
										 "not the privacy unit of its rows",
										 get_attname(view, unit, false))),
			 errhint("Its owner can protect it by the column that is the unit "
					 "of what it reads, unchanged, or without one.")));
}

/* The columns that are seen are the view's. */
static const DpNode *
make_node(const DpNode *rows, Oid view, int visible)
{
	AttrNumber *attributes = palloc0(rows->ncolumns * sizeof(AttrNumber));
	int i;

	for (i = 0; i < visible; i++)
		attributes[i] = (AttrNumber) (i + 1);
	return dp_facts_add(&dp_node_view(rows, view, attributes, -1)->node);
}

const DpNode *
dp_views_read_body(DpScope *around, int rtindex, Oid view, AttrNumber unit,
				   int *visible)
{
	ErrorContextCallback context = {error_context_stack, name_view,
									get_rel_name(view)};
	const DpNode *rows;

	error_context_stack = &context;
	dp_lent_check(rt_fetch(rtindex, around->query->rtable)->subquery, view);
	around->planning->view_depth++;
	rows = dp_queries_read(around, rtindex, true, visible);
	around->planning->view_depth--;
	check_unit(view, unit, rows, *visible);
	error_context_stack = context.previous;
	return rows;
}

const DpNode *
dp_views_read(DpScope *around, int rtindex, Oid view, int *visible)
{
	DpPlanning *planning = around->planning;
	const DpProtection *protection = dp_gate_protection(view);
	const DpNode *rows;

	dp_scans_check_member(planning, protection);
	if (planning->view_depth == 0)
		planning->lenders =
			list_make2_oid(protection->population_owner, dp_owner_of(view));
	rows = dp_views_read_body(around, rtindex, view, protection->unit, visible);
	return make_node(rows, view, *visible);
}
