/*
 * unit_paths.c
 *		The rows of a relation's privacy units, in SQL.
 *
 * Names are quoted, tables are schema-qualified, and the search path is the
 * server's own schema alone, so the SQL has only one meaning. A path's columns
 * are of the server's types (dp_noise.protect ensures that).
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relation.h"
#include "catalog/pg_class.h"
#include "lib/stringinfo.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "gate/facts/unique_keys.h"
#include "gate/relations/declared.h"
#include "gate/relations/picture.h"
#include "gate/suggestion/unit_paths.h"
#include "server/compat.h"
#include "server/citus.h"
#include "server/ownership.h"

static char *
name_of(Oid relation)
{
	return quote_qualified_identifier(
		get_namespace_name(get_rel_namespace(relation)),
		get_rel_name(relation));
}

static const char *
column_of(Oid relation, int column)
{
	return quote_identifier(get_attname(relation, (AttrNumber) column, false));
}

pg_noreturn static void
refuse(Oid relation, const char *why, const char *hint)
{
	ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					errmsg("the privacy units of \"%s\" %s",
						   get_rel_name(relation), why),
					errhint("%s", hint)));
}

/* The settings of a relation, which is locked first, so that they hold. */
static const DpProtection *
protection_of(Oid relation)
{
	const DpProtection *protection;

	LockRelationOid(relation, AccessShareLock);
	protection = dp_protection_of(relation);
	if (!protection->is_protected)
		ereport(
			ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("relation \"%s\" is not protected", get_rel_name(relation)),
			 errhint("Suggestions are charged to a budget. Protect it first "
					 "with dp_noise.protect(), with caps of 1, and change "
					 "them to what is suggested.")));
	if (protection->unit == -1)
		refuse(relation, "are a column that is no longer there",
			   "Protect it again, with the column's present name.");
	if (protection->unit == DP_UNIT_BY_PATH &&
		(!OidIsValid(protection->path_relation) ||
		 protection->path_columns == NIL || protection->path_keys == NIL ||
		 !dp_unique_keys_has(protection->path_relation, protection->path_keys)))
		refuse(relation, "lie along a path over what is no longer there",
			   "Protect it again.");
	return protection;
}

/* "column, ..." of a relation. */
static void
add_columns(StringInfo text, Oid relation, const List *columns)
{
	ListCell *cell;

	foreach (cell, columns)
		appendStringInfo(text, "%s%s", cell == list_head(columns) ? "" : ", ",
						 column_of(relation, lfirst_int(cell)));
}

/* "column, ... -> relation (key, ...)" */
static char *
text_of_path(const DpProtection *protection)
{
	StringInfoData text;

	initStringInfo(&text);
	add_columns(&text, protection->relation, protection->path_columns);
	appendStringInfo(&text, " -> %s (", name_of(protection->path_relation));
	add_columns(&text, protection->path_relation, protection->path_keys);
	appendStringInfoChar(&text, ')');
	return text.data;
}

/* A join of what the path of the relation at that step leads to. */
static void
add_join(StringInfo from, const DpProtection *protection, uint32 step)
{
	ListCell *column;
	ListCell *key;
	const char *and = " ON ";

	appendStringInfo(from, " JOIN %s AS t%u",
					 name_of(protection->path_relation), step + 1);
	forboth (column, protection->path_columns, key, protection->path_keys)
	{
		appendStringInfo(from, "%st%u.%s = t%u.%s", and, step,
						 column_of(protection->relation, lfirst_int(column)),
						 step + 1,
						 column_of(protection->path_relation, lfirst_int(key)));
		and = " AND ";
	}
}

/* Notes a relation, and what its neighbours are. */
static void
add_relation(DpUnits *units, const DpProtection *protection)
{
	if (dp_citus_distributes(protection->relation))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("nothing can be suggested for relation \"%s\", since "
						"Citus distributes it",
						get_rel_name(protection->relation)),
				 errhint("Choose by what is known of such tables.")));
	units->asked[units->asked_count] = (DpAskedRelation){
		.relation = protection->relation,
		.settings_version = protection->settings_version,
		.is_named = units->asked_count == 0,
	};
	units->asked_count++;
	if (protection->contribution.neighbours == DP_SUBSTITUTE)
		units->neighbours = DP_SUBSTITUTE;
}

/* Follows the path to the relation that has the unit, and returns that. */
static const DpProtection *
follow(DpUnits *units, const DpProtection *protection, StringInfo from)
{
	uint32 step;

	add_relation(units, protection);
	for (step = 0; protection->unit == DP_UNIT_BY_PATH; step++)
	{
		Oid next = protection->path_relation;

		if (step == DP_UNITS_STEPS)
			refuse(protection->relation, "lie along a path without an end",
				   "Protect one of the relations by a column.");
		if (dp_owner_of(protection->relation) != dp_owner_of(next))
			refuse(protection->relation,
				   "lie along a path to a relation of another owner",
				   "Protect it by a column of its own.");
		add_join(from, protection, step);
		protection = protection_of(next);
		if (protection->population != units->population)
			refuse(next, "are of another population",
				   "Protect the relation whose path leads there again.");
		add_relation(units, protection);
	}
	return protection;
}

/*
 * The unit is found in the last relation that is asked about: in a column, or
 * its rows.
 */
static void
set_unit(DpUnits *units, const DpProtection *protection)
{
	uint32 step = units->asked_count - 1;

	units->unit_names = "u";
	if (protection->unit > 0)
		units->unit = psprintf(
			"t%u.%s", step, column_of(protection->relation, protection->unit));
	if (protection->unit > 0 || step == 0)
		return;
	if (get_rel_relkind(protection->relation) == RELKIND_FOREIGN_TABLE)
		refuse(protection->relation, "are rows of a foreign table",
			   "Protect it by a column.");
	units->unit = psprintf("t%u.tableoid, t%u.ctid", step, step);
	units->unit_names = "u, w";
}

/* Columns that tell rows apart: each alone a primary or unique key. */
static Bitmapset *
key_columns(Relation relation)
{
	Bitmapset *columns = NULL;
	ListCell *cell;

	foreach (cell, RelationGetIndexList(relation))
	{
		Relation key = index_open(lfirst_oid(cell), AccessShareLock);

		if (key->rd_index->indisunique && key->rd_index->indnkeyatts == 1)
			columns = bms_add_member(columns, key->rd_index->indkey.values[0]);
		index_close(key, AccessShareLock);
	}
	columns = bms_del_member(columns, 0); /* an expression */
	return columns;
}

/* Adds the columns that refer to other rows. */
static Bitmapset *
add_references(Relation relation, Bitmapset *columns)
{
	foreach_ptr (const ForeignKeyCacheInfo, key, RelationGetFKeyList(relation))
	{
		int i;

		for (i = 0; i < key->nkeys; i++)
			columns = bms_add_member(columns, key->conkey[i]);
	}
	return columns;
}

/*
 * Numbers that are names of rows are added up and averaged by nobody: their bounds
 * are found only where they are named.
 */
static List *
undeclared_columns(const DpProtection *protection)
{
	Relation relation = relation_open(protection->relation, NoLock);
	Bitmapset *names = add_references(relation, key_columns(relation));
	List *columns = NIL;
	int i;

	for (i = 0; i < RelationGetNumberOfAttributes(relation); i++)
	{
		Form_pg_attribute column = TupleDescAttr(RelationGetDescr(relation), i);
		Datum bounds[2];
		List *texts;

		if (!column->attisdropped && column->attnum != protection->unit &&
			!bms_is_member(column->attnum, names) &&
			!list_member_int(protection->path_columns, column->attnum) &&
			!dp_declared_bounds(protection->relation, column->attnum,
								getBaseType(column->atttypid), &bounds[0],
								&bounds[1]) &&
			!dp_declared_values(protection->relation, column->attnum, &texts))
			columns = lappend_int(columns, column->attnum);
	}
	relation_close(relation, NoLock);
	return columns;
}

/* Fills in the units; a picture must be open. */
static void
describe(Oid relation, DpUnits *units)
{
	const DpProtection *protection = protection_of(relation);
	StringInfoData from;

	initStringInfo(&from);
	appendStringInfo(&from, " FROM %s AS " DP_UNITS_ALIAS, name_of(relation));
	units->relation = relation;
	units->owner = dp_owner_of(relation);
	units->population = protection->population;
	units->neighbours = DP_ADD_REMOVE;
	units->contribution = protection->contribution;
	units->people = protection->people;
	units->several_rows =
		protection->unit == DP_UNIT_BY_PATH || !protection->unit_is_unique;
	if (protection->unit > 0)
		units->path = get_attname(relation, protection->unit, false);
	if (protection->unit == DP_UNIT_BY_PATH)
		units->path = text_of_path(protection);
	units->undeclared = undeclared_columns(protection);

	protection = follow(units, protection, &from);
	set_unit(units, protection);
	if (protection->unit > 0)
		appendStringInfo(&from, " WHERE %s IS NOT NULL", units->unit);
	units->from = from.data;
}

void
dp_units_of(Oid relation, DpUnits *units)
{
	DpPicture *picture = dp_picture_open();

	memset(units, 0, sizeof(*units));
	PG_TRY();
	{
		describe(relation, units);
	}
	PG_FINALLY();
	{
		dp_picture_close(picture);
	}
	PG_END_TRY();
}
