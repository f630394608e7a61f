/*
 * old_relations.c
 *		What the old reading knows of relations; to be deleted with it.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "nodes/value.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "gate/question/relations/declared.h"
#include "gate/question/relations/locations.h"
#include "gate/question/relations/old_relations.h"
#include "gate/question/relations/populations.h"
#include "gate/question/relations/protection.h"
#include "gate/question/relations/publics.h"

/* The index of a relation in the lists. */
static int
index_of(const DpRelations *relations, Oid relation)
{
	ListCell *cell;

	foreach (cell, relations->oids)
	{
		if (lfirst_oid(cell) == relation)
			return foreach_current_index(cell);
	}
	elog(ERROR, "relation %u is not one of the question", relation);
}

/*
 * What is beneath a view is read by the right to ask about the view, which the
 * owner of the view's population gives. That right is to that owner's populations,
 * and to those of the view's owner, and spends no grant of others.
 */
static void
check_lent(const DpRelations *relations, const DpProtection *protection)
{
	if (relations->view_depth == 0 || relations->lenders == NIL ||
		list_member_oid(relations->lenders, protection->population_owner))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("a protected view cannot read \"%s\", which is in a "
					"population of another role",
					get_rel_name(protection->relation)),
			 errhint("Protect the view in that population: its owner grants "
					 "the budgets to ask about it.")));
}

void
dp_gate_add_view(DpRelations *relations, Oid view)
{
	if (!list_member_oid(relations->views, view))
	{
		dp_gate_check_member(dp_gate_protection(view));
		check_lent(relations, dp_gate_protection(view));
	}
	dp_relations_add_view(relations, view, relations->view_depth == 0);
}

static void
add_relation(DpRelations *relations, Oid relation, bool is_followed)
{
	if (!list_member_oid(relations->oids, relation))
	{
		dp_gate_check_member(dp_gate_protection(relation));
		check_lent(relations, dp_gate_protection(relation));
	}
	dp_relations_add(relations, relation, relations->view_depth == 0,
					 is_followed);
}

void
dp_gate_add_relation(DpRelations *relations, Oid relation)
{
	add_relation(relations, relation, false);
}

void
dp_gate_follow_relation(DpRelations *relations, Oid relation)
{
	add_relation(relations, relation, true);
}

int
dp_gate_member_of(const DpRelations *relations, Oid relation)
{
	return list_nth_int(relations->members, index_of(relations, relation));
}

AttrNumber
dp_gate_unit_of(const DpRelations *relations, Oid relation)
{
	return (AttrNumber) list_nth_int(relations->unit_columns,
									 index_of(relations, relation));
}

bool
dp_gate_same_column(const Var *one, const Var *other)
{
	return one->varno == other->varno && one->varattno == other->varattno &&
		   one->varlevelsup == other->varlevelsup;
}

/* The entry of a column, and the column there, through plain sub-queries. */
static RangeTblEntry *
entry_of(Query *query, const Var *column, AttrNumber *attribute)
{
	RangeTblEntry *rte;

	if (column->varlevelsup != 0 || column->varattno <= 0)
		return NULL;
	rte = rt_fetch(column->varno, query->rtable);
	*attribute = column->varattno;
	if (rte->rtekind == RTE_SUBQUERY)
	{
		TargetEntry *entry =
			get_tle_by_resno(rte->subquery->targetList, column->varattno);
		Var *inner = entry == NULL || rte->subquery->setOperations != NULL
						 ? NULL
						 : dp_gate_column_of((Node *) entry->expr);

		return inner == NULL ? NULL : entry_of(rte->subquery, inner, attribute);
	}
	return rte;
}

bool
dp_gate_public_origin(const DpRelations *relations, const Var *column,
					  const DpPublic **public, AttrNumber *attribute)
{
	RangeTblEntry *rte = entry_of(relations->frame, column, attribute);

	*public = rte == NULL ? NULL : dp_gate_public_of(relations, rte);
	return *public != NULL;
}

bool
dp_gate_protected_origin(const DpRelations *relations, const Var *column,
						 Oid *relation, AttrNumber *attribute)
{
	RangeTblEntry *rte = entry_of(relations->frame, column, attribute);

	if (rte == NULL || rte->rtekind != RTE_RELATION)
		return false;
	*relation = rte->relid;
	return true;
}

/* A column of a relation, or of a protected view which says more of it. */
static bool
declared_origin(Query *query, const Var *column, Oid *relation,
				AttrNumber *attribute)
{
	RangeTblEntry *rte;
	TargetEntry *entry;
	Var *inner;
	Oid view;

	if (column->varlevelsup != 0 || column->varattno <= 0)
		return false;
	rte = rt_fetch(column->varno, query->rtable);
	view = dp_gate_protected_view(rte);
	*relation = rte->rtekind == RTE_RELATION ? rte->relid : view;
	*attribute = column->varattno;
	if (rte->rtekind != RTE_SUBQUERY)
		return OidIsValid(*relation);
	if (OidIsValid(view) && dp_gate_is_declared(view, *attribute))
		return true;
	entry = get_tle_by_resno(rte->subquery->targetList, column->varattno);
	inner = entry == NULL || rte->subquery->setOperations != NULL
				? NULL
				: dp_gate_column_of((Node *) entry->expr);
	if (inner != NULL &&
		declared_origin(rte->subquery, inner, relation, attribute))
		return true;
	*relation = view;
	*attribute = column->varattno;
	return OidIsValid(view);
}

bool
dp_gate_declared_origin(const DpRelations *relations, const Var *column,
						Oid *relation, AttrNumber *attribute)
{
	return declared_origin(relations->frame, column, relation, attribute);
}

bool
dp_gate_is_unit(const DpRelations *relations, const Var *column)
{
	ListCell *cell;

	foreach (cell, relations->alike)
	{
		if (dp_gate_same_column(lfirst(cell), column))
			return true;
	}
	return false;
}

bool
dp_gate_is_unit_or_null(const DpRelations *relations, const Var *column)
{
	Oid relation;
	AttrNumber attribute;

	return dp_gate_is_unit(relations, column) ||
		   (dp_gate_protected_origin(relations, column, &relation,
									 &attribute) &&
			dp_gate_unit_of(relations, relation) == attribute);
}

int
dp_gate_location_of_relation(Query *query, Oid relation)
{
	ListCell *cell;

	foreach (cell, query->rtable)
	{
		const RangeTblEntry *rte = lfirst_node(RangeTblEntry, cell);

		if (rte->rtekind == RTE_RELATION && rte->relid == relation)
			return dp_gate_location_of_entry(query,
											 foreach_current_index(cell) + 1);
	}
	return dp_gate_location_of_query(query);
}
