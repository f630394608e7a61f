/*
 * subjects.c
 *		The protected relations that a block asks about.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "gate/question/protection.h"
#include "gate/question/subjects.h"

static void
add_subjects(Query *query, Node *node, DpSubjects *subjects)
{
	if (IsA(node, RangeTblRef))
	{
		int place = ((RangeTblRef *) node)->rtindex;
		RangeTblEntry *rte = rt_fetch(place, query->rtable);
		const DpProtection *protection;

		if (rte->rtekind != RTE_RELATION)
			return;
		protection = dp_gate_protection(rte->relid);
		if (!protection->is_protected)
			return;
		subjects->relations = lappend_oid(subjects->relations, rte->relid);
		subjects->identities =
			lappend_int(subjects->identities, protection->identity);
		subjects->places = lappend_int(subjects->places, place);
		subjects->units = lappend_int(subjects->units, protection->unit);
		subjects->conditions = lappend(subjects->conditions, NULL);
	}
	else if (IsA(node, JoinExpr))
	{
		bool right = ((JoinExpr *) node)->jointype == JOIN_RIGHT;
		Node *left_side = ((JoinExpr *) node)->larg;
		Node *right_side = ((JoinExpr *) node)->rarg;

		/* Preserved ones first. */
		add_subjects(query, right ? right_side : left_side, subjects);
		add_subjects(query, right ? left_side : right_side, subjects);
	}
}

DpSubjects
dp_gate_find_subjects(Query *query)
{
	DpSubjects subjects = {NIL, NIL, NIL, NIL, NIL, false};
	ListCell *cell;

	foreach (cell, query->jointree->fromlist)
		add_subjects(query, lfirst(cell), &subjects);
	return subjects;
}

DpSubjects
dp_gate_copy_subjects(const DpSubjects *subjects)
{
	return (DpSubjects){
		list_copy(subjects->relations),	  list_copy(subjects->identities),
		list_copy(subjects->places),	  list_copy(subjects->units),
		copyObject(subjects->conditions), subjects->several};
}

bool
dp_gate_has_subject(const DpSubjects *subjects, Index place)
{
	return list_member_int(subjects->places, (int) place);
}

/* Its place in the lists, from 0. */
static int
place_of(const DpSubjects *subjects, const Var *column)
{
	ListCell *cell;

	foreach (cell, subjects->places)
	{
		if ((Index) lfirst_int(cell) == (Index) column->varno)
			return foreach_current_index(cell);
	}
	elog(ERROR, "a column of no protected relation");
}

Oid
dp_gate_relation_of(const DpSubjects *subjects, const Var *column)
{
	return list_nth_oid(subjects->relations, place_of(subjects, column));
}

int
dp_gate_identity_of(const DpSubjects *subjects, const Var *column)
{
	return list_nth_int(subjects->identities, place_of(subjects, column));
}

bool
dp_gate_is_unit(const DpSubjects *subjects, const Var *column)
{
	return column->varattno > 0 &&
		   list_nth_int(subjects->units, place_of(subjects, column)) ==
			   column->varattno;
}

bool
dp_gate_is_nullable(const DpSubjects *subjects, const Var *column)
{
	return list_nth(subjects->conditions, place_of(subjects, column)) != NULL;
}

bool
dp_gate_is_never_null(const DpSubjects *subjects, const Var *column)
{
	if (dp_gate_is_nullable(subjects, column))
		return false;
	return dp_gate_is_unit(subjects, column) || /* others do not count */
		   dp_gate_is_not_null(dp_gate_relation_of(subjects, column),
							   column->varattno);
}

char *
dp_gate_subject_names(const DpSubjects *subjects)
{
	char *names = NULL;
	ListCell *cell;

	foreach (cell, subjects->relations)
	{
		char *name = get_rel_name(lfirst_oid(cell));

		names = names == NULL ? name : psprintf("%s, %s", names, name);
	}
	return names;
}

Var *
dp_gate_column_of(Node *node)
{
	while (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	return IsA(node, Var) && ((Var *) node)->varlevelsup == 0 ? (Var *) node
															  : NULL;
}
