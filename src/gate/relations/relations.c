/*
 * relations.c
 *		Whose rows a block reads, and what its columns are.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "nodes/nodeFuncs.h"
#include "nodes/value.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "gate/relations/protection.h"
#include "gate/relations/publics.h"
#include "gate/relations/relations.h"
#include "server/collations.h"
#include "server/lists.h"

DpRelations
dp_relations_copy(const DpRelations *relations)
{
	DpRelations copy = *relations;

	copy.oids = list_copy(relations->oids);
	copy.unit_columns = list_copy(relations->unit_columns);
	copy.paths = copyObject(relations->paths);
	copy.views = list_copy(relations->views);
	copy.view_unit_columns = list_copy(relations->view_unit_columns);
	copy.beneath = list_copy(relations->beneath);
	copy.followed = list_copy(relations->followed);
	copy.populations = list_copy(relations->populations);
	copy.frame = copyObject(relations->frame);
	copy.unit = copyObject(relations->unit);
	copy.certain = list_copy(relations->certain);
	copy.publics = copyObject(relations->publics);
	foreach_ptr (DpPublic, copied, copy.publics)
		copied->rows = NULL;
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

/* Notes whether the question names a relation, even if views read it, too. */
static void
note_naming(DpRelations *relations, Oid relation, bool is_named)
{
	if (is_named)
		relations->beneath = list_delete_oid(relations->beneath, relation);
	else if (!list_member_oid(relations->oids, relation) &&
			 !list_member_oid(relations->views, relation))
		relations->beneath = lappend_oid(relations->beneath, relation);
}

static void
add_population(DpRelations *relations, const DpProtection *protection)
{
	relations->populations =
		list_append_unique_int(relations->populations, protection->population);
	list_sort(relations->populations, list_int_cmp);
}

void
dp_relations_add_view(DpRelations *relations, Oid view, bool is_named)
{
	const DpProtection *protection = dp_protection_of(view);

	note_naming(relations, view, is_named);
	if (list_member_oid(relations->views, view))
		return;
	relations->views = lappend_oid(relations->views, view);
	relations->view_unit_columns =
		lappend_int(relations->view_unit_columns, protection->unit);
	add_population(relations, protection);
}

void
dp_relations_add(DpRelations *relations, Oid relation, bool is_named,
				 bool is_followed)
{
	const DpProtection *protection = dp_protection_of(relation);

	note_naming(relations, relation, is_named);
	if (!is_followed)
		relations->followed = list_delete_oid(relations->followed, relation);
	if (list_member_oid(relations->oids, relation))
		return;
	if (is_followed)
		relations->followed = lappend_oid(relations->followed, relation);
	relations->oids = lappend_oid(relations->oids, relation);
	relations->unit_columns =
		lappend_int(relations->unit_columns, protection->unit);
	relations->paths = lappend(relations->paths, path_text(protection));
	add_population(relations, protection);
}

List *
dp_relations_all_read(const DpRelations *relations)
{
	return list_concat_copy(relations->views, relations->oids);
}

bool
dp_relations_is_beneath(const DpRelations *relations, Oid relation)
{
	return list_member_oid(relations->beneath, relation);
}

List *
dp_relations_named(const DpRelations *relations)
{
	return list_difference_oid(dp_relations_all_read(relations),
							   relations->beneath);
}

char *
dp_relations_path_of(const DpRelations *relations, Oid relation)
{
	ListCell *cell;

	foreach (cell, relations->oids)
	{
		if (lfirst_oid(cell) == relation)
			return strVal(
				list_nth(relations->paths, foreach_current_index(cell)));
	}
	elog(ERROR, "relation %u is not one of the question", relation);
}

char *
dp_relations_names(const DpRelations *relations)
{
	char *names = NULL;
	ListCell *cell;

	foreach (cell, dp_relations_named(relations))
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
dp_relations_column_of(Node *node)
{
	while (IsA(node, RelabelType) && keeps_equality((RelabelType *) node))
		node = (Node *) ((RelabelType *) node)->arg;
	return IsA(node, Var) ? (Var *) node : NULL;
}
