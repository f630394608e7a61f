/*
 * relations.c
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
#include "utils/typcache.h"

#include "gate/question/relations/declared.h"
#include "gate/question/relations/populations.h"
#include "gate/question/relations/protection.h"
#include "gate/question/relations/publics.h"
#include "gate/question/relations/relations.h"
#include "server/collations.h"

DpRelations
dp_gate_copy_relations(const DpRelations *relations)
{
	DpRelations copy = *relations;
	ListCell *cell;

	copy.oids = list_copy(relations->oids);
	copy.members = list_copy(relations->members);
	copy.unit_columns = list_copy(relations->unit_columns);
	copy.paths = copyObject(relations->paths);
	copy.views = list_copy(relations->views);
	copy.view_members = list_copy(relations->view_members);
	copy.view_unit_columns = list_copy(relations->view_unit_columns);
	copy.beneath = list_copy(relations->beneath);
	copy.followed = list_copy(relations->followed);
	copy.populations = list_copy(relations->populations);
	copy.frame = copyObject(relations->frame);
	copy.unit = copyObject(relations->unit);
	copy.certain = list_copy(relations->certain);
	copy.alike = copyObject(relations->alike);
	copy.publics = copyObject(relations->publics);
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

static void
note_population(DpRelations *relations, const DpProtection *protection)
{
	check_lent(relations, protection);
	relations->populations =
		list_append_unique_int(relations->populations, protection->population);
	list_sort(relations->populations, list_int_cmp);
}

/* Notes whether the question names a relation, even if views read it, too. */
static void
note_depth(DpRelations *relations, Oid relation)
{
	if (relations->view_depth == 0)
		relations->beneath = list_delete_oid(relations->beneath, relation);
	else if (!list_member_oid(relations->oids, relation) &&
			 !list_member_oid(relations->views, relation))
		relations->beneath = lappend_oid(relations->beneath, relation);
}

void
dp_gate_add_view(DpRelations *relations, Oid view)
{
	const DpProtection *protection = dp_gate_protection(view);

	note_depth(relations, view);
	if (list_member_oid(relations->views, view))
		return;
	dp_gate_check_member(protection);
	relations->views = lappend_oid(relations->views, view);
	relations->view_members =
		lappend_int(relations->view_members, protection->member);
	relations->view_unit_columns =
		lappend_int(relations->view_unit_columns, protection->unit);
	note_population(relations, protection);
}

List *
dp_gate_all_read(const DpRelations *relations)
{
	return list_concat_copy(relations->views, relations->oids);
}

bool
dp_gate_is_beneath(const DpRelations *relations, Oid relation)
{
	return list_member_oid(relations->beneath, relation);
}

List *
dp_gate_named(const DpRelations *relations)
{
	return list_difference_oid(dp_gate_all_read(relations), relations->beneath);
}

void
dp_gate_add_relation(DpRelations *relations, Oid relation)
{
	const DpProtection *protection = dp_gate_protection(relation);

	note_depth(relations, relation);
	relations->followed = list_delete_oid(relations->followed, relation);
	if (list_member_oid(relations->oids, relation))
		return;
	dp_gate_check_member(protection);
	relations->oids = lappend_oid(relations->oids, relation);
	relations->members = lappend_int(relations->members, protection->member);
	relations->unit_columns =
		lappend_int(relations->unit_columns, protection->unit);
	relations->paths = lappend(relations->paths, path_text(protection));
	note_population(relations, protection);
}

void
dp_gate_follow_relation(DpRelations *relations, Oid relation)
{
	bool is_followed = !list_member_oid(relations->oids, relation) ||
					   list_member_oid(relations->followed, relation);

	dp_gate_add_relation(relations, relation);
	if (is_followed)
		relations->followed = lappend_oid(relations->followed, relation);
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

char *
dp_gate_path_of(const DpRelations *relations, Oid relation)
{
	return strVal(list_nth(relations->paths, index_of(relations, relation)));
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

char *
dp_gate_relation_names(const DpRelations *relations)
{
	char *names = NULL;
	ListCell *cell;

	foreach (cell, dp_gate_named(relations))
	{
		char *name = get_rel_name(lfirst_oid(cell));

		names = names == NULL ? name : psprintf("%s, %s", names, name);
	}
	return names;
}

static Oid
equality_of(Oid type)
{
	return lookup_type_cache(getBaseType(type), TYPECACHE_EQ_OPR)->eq_opr;
}

/* Whether reading a value as another type or collation keeps what it equals. */
static bool
keeps_equality(const RelabelType *relabel)
{
	Oid type = exprType((Node *) relabel->arg);
	Oid equality = equality_of(type);

	return (getBaseType(type) == getBaseType(relabel->resulttype) ||
			(OidIsValid(equality) &&
			 equality == equality_of(relabel->resulttype))) &&
		   dp_are_alike(exprCollation((Node *) relabel->arg),
						relabel->resultcollid);
}

Var *
dp_gate_column_of(Node *node)
{
	while (IsA(node, RelabelType) && keeps_equality((RelabelType *) node))
		node = (Node *) ((RelabelType *) node)->arg;
	return IsA(node, Var) ? (Var *) node : NULL;
}
