/*
 * subjects.c
 *		Whose rows a block reads, and what its columns are.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "nodes/nodeFuncs.h"
#include "nodes/value.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "gate/question/relations/declared.h"
#include "gate/question/relations/protection.h"
#include "gate/question/relations/publics.h"
#include "gate/question/relations/subjects.h"

DpSubjects
dp_gate_copy_subjects(const DpSubjects *subjects)
{
	DpSubjects copy = *subjects;
	ListCell *cell;

	copy.relations = list_copy(subjects->relations);
	copy.identities = list_copy(subjects->identities);
	copy.units = list_copy(subjects->units);
	copy.paths = copyObject(subjects->paths);
	copy.views = list_copy(subjects->views);
	copy.view_units = list_copy(subjects->view_units);
	copy.beneath = list_copy(subjects->beneath);
	copy.purses = list_copy(subjects->purses);
	copy.frame = copyObject(subjects->frame);
	copy.unit = copyObject(subjects->unit);
	copy.alike = copyObject(subjects->alike);
	copy.indexes = list_copy(subjects->indexes);
	copy.publics = copyObject(subjects->publics);
	foreach (cell, copy.publics)
		((DpPublic *) lfirst(cell))->rows = NULL;
	return copy;
}

/* "column, ... -> relation (key, ...)"; empty where the unit is of its own. */
static String *
path_text(const DpProtection *protection)
{
	StringInfoData text;
	ListCell *cell;

	initStringInfo(&text);
	if (protection->unit != DP_UNIT_BY_PATH ||
		!OidIsValid(protection->path_relation))
		return makeString(text.data);
	foreach (cell, protection->path_columns)
		appendStringInfo(
			&text, "%s%s", text.len == 0 ? "" : ", ",
			quote_identifier(get_attname(
				protection->relation, (AttrNumber) lfirst_int(cell), false)));
	appendStringInfo(&text, " -> %s",
					 quote_identifier(get_rel_name(protection->path_relation)));
	foreach (cell, protection->path_keys)
		appendStringInfo(
			&text, "%s%s", foreach_current_index(cell) == 0 ? " (" : ", ",
			quote_identifier(get_attname(protection->path_relation,
										 (AttrNumber) lfirst_int(cell),
										 false)));
	if (protection->path_keys != NIL)
		appendStringInfoChar(&text, ')');
	return makeString(text.data);
}

/* The place of a relation in the lists. */
static int
place_of(const DpSubjects *subjects, Oid relation)
{
	ListCell *cell;

	foreach (cell, subjects->relations)
	{
		if (lfirst_oid(cell) == relation)
			return foreach_current_index(cell);
	}
	elog(ERROR, "relation %u is not one of the question", relation);
}

/* Whose budgets pay. */
static void
note_purse(DpSubjects *subjects, const DpProtection *protection)
{
	if (OidIsValid(protection->purse))
		subjects->purses =
			list_append_unique_oid(subjects->purses, protection->purse);
}

/* What the question names pays as such, whatever views read it, too. */
static void
note_depth(DpSubjects *subjects, Oid payer)
{
	if (subjects->view_depth == 0)
		subjects->beneath = list_delete_oid(subjects->beneath, payer);
	else if (!list_member_oid(subjects->relations, payer) &&
			 !list_member_oid(subjects->views, payer))
		subjects->beneath = lappend_oid(subjects->beneath, payer);
}

void
dp_gate_add_view(DpSubjects *subjects, Oid view)
{
	note_depth(subjects, view);
	if (list_member_oid(subjects->views, view))
		return;
	subjects->views = lappend_oid(subjects->views, view);
	subjects->view_units =
		lappend_int(subjects->view_units, dp_gate_protection(view)->unit);
	note_purse(subjects, dp_gate_protection(view));
}

List *
dp_gate_payers(const DpSubjects *subjects)
{
	return list_concat_copy(subjects->views, subjects->relations);
}

bool
dp_gate_is_beneath(const DpSubjects *subjects, Oid payer)
{
	return list_member_oid(subjects->beneath, payer);
}

List *
dp_gate_named(const DpSubjects *subjects)
{
	return list_difference_oid(dp_gate_payers(subjects), subjects->beneath);
}

void
dp_gate_add_subject(DpSubjects *subjects, Oid relation)
{
	const DpProtection *protection = dp_gate_protection(relation);

	note_depth(subjects, relation);
	if (list_member_oid(subjects->relations, relation))
		return;
	subjects->relations = lappend_oid(subjects->relations, relation);
	subjects->identities =
		lappend_int(subjects->identities, protection->identity);
	subjects->units = lappend_int(subjects->units, protection->unit);
	subjects->paths = lappend(subjects->paths, path_text(protection));
	note_purse(subjects, protection);
}

int
dp_gate_identity_of(const DpSubjects *subjects, Oid relation)
{
	return list_nth_int(subjects->identities, place_of(subjects, relation));
}

AttrNumber
dp_gate_unit_of(const DpSubjects *subjects, Oid relation)
{
	return (AttrNumber) list_nth_int(subjects->units,
									 place_of(subjects, relation));
}

char *
dp_gate_path_of(const DpSubjects *subjects, Oid relation)
{
	return strVal(list_nth(subjects->paths, place_of(subjects, relation)));
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
dp_gate_public_origin(const DpSubjects *subjects, const Var *column,
					  const DpPublic **public, AttrNumber *attribute)
{
	RangeTblEntry *rte = entry_of(subjects->frame, column, attribute);

	*public = rte == NULL ? NULL : dp_gate_public_of(subjects, rte);
	return *public != NULL;
}

bool
dp_gate_protected_origin(const DpSubjects *subjects, const Var *column,
						 Oid *relation, AttrNumber *attribute)
{
	RangeTblEntry *rte = entry_of(subjects->frame, column, attribute);

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
dp_gate_declared_origin(const DpSubjects *subjects, const Var *column,
						Oid *relation, AttrNumber *attribute)
{
	return declared_origin(subjects->frame, column, relation, attribute);
}

bool
dp_gate_is_unit(const DpSubjects *subjects, const Var *column)
{
	ListCell *cell;

	foreach (cell, subjects->alike)
	{
		if (dp_gate_same_column(lfirst(cell), column))
			return true;
	}
	return false;
}

bool
dp_gate_is_unit_or_null(const DpSubjects *subjects, const Var *column)
{
	Oid relation;
	AttrNumber attribute;

	return dp_gate_is_unit(subjects, column) ||
		   (dp_gate_protected_origin(subjects, column, &relation, &attribute) &&
			dp_gate_unit_of(subjects, relation) == attribute);
}

/* Whether a place of FROM is on the nullable side of an outer join. */
static bool
is_nullable(Node *node, int place, bool nullable)
{
	ListCell *cell;

	if (node == NULL)
		return false;
	if (IsA(node, RangeTblRef))
		return nullable && ((RangeTblRef *) node)->rtindex == place;
	if (IsA(node, FromExpr))
	{
		foreach (cell, ((FromExpr *) node)->fromlist)
		{
			if (is_nullable(lfirst(cell), place, nullable))
				return true;
		}
		return false;
	}
	return is_nullable(((JoinExpr *) node)->larg, place,
					   nullable ||
						   ((JoinExpr *) node)->jointype == JOIN_RIGHT) ||
		   is_nullable(((JoinExpr *) node)->rarg, place,
					   nullable || ((JoinExpr *) node)->jointype == JOIN_LEFT);
}

/* The same for columns of sub-queries. */
static bool
is_never_null(const DpSubjects *subjects, Query *query, const Var *column)
{
	RangeTblEntry *rte = rt_fetch(column->varno, query->rtable);
	const DpPublic *public = dp_gate_public_of(subjects, rte);
	TargetEntry *entry;
	Var *inner;

	if (column->varlevelsup != 0 || column->varattno <= 0 ||
		is_nullable((Node *) query->jointree, column->varno, false))
		return false;
	if (rte->rtekind == RTE_RELATION)
		return dp_gate_is_not_null(rte->relid, column->varattno);
	if (public != NULL)
		return OidIsValid(public->relation) &&
			   dp_gate_is_not_null(public->relation, column->varattno);
	if (rte->rtekind != RTE_SUBQUERY || rte->subquery->setOperations != NULL)
		return false;
	entry = get_tle_by_resno(rte->subquery->targetList, column->varattno);
	inner = entry == NULL ? NULL : dp_gate_column_of((Node *) entry->expr);
	return inner != NULL && is_never_null(subjects, rte->subquery, inner);
}

bool
dp_gate_is_never_null(const DpSubjects *subjects, const Var *column)
{
	return dp_gate_is_unit(subjects, column) || /* others do not count */
		   is_never_null(subjects, subjects->frame, column);
}

bool
dp_gate_column_is_never_null(const DpSubjects *subjects, const Var *column)
{
	return is_never_null(subjects, subjects->frame, column);
}

char *
dp_gate_subject_names(const DpSubjects *subjects)
{
	char *names = NULL;
	ListCell *cell;

	foreach (cell, dp_gate_named(subjects))
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
	return IsA(node, Var) ? (Var *) node : NULL;
}
