/*
 * units.c
 *		The rows of a relation's privacy units, in SQL.
 *
 * Names are quoted, tables are schema-qualified, and the search path is the
 * server's own schema alone, so the SQL has only one meaning. A path's columns
 * are of the server's types (dp_noise.protect ensures that).
 */
#include "postgres.h"

#include "access/htup_details.h"
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
#include "gate/suggestion/units.h"
#include "server/compat.h"
#include "server/ownership.h"

#define MOST_STEPS 100

static char *
name_of(Oid relation)
{
	return quote_qualified_identifier(
		get_namespace_name(get_rel_namespace(relation)),
		get_rel_name(relation));
}

static const char *
column_of(Oid relation, AttrNumber column)
{
	return quote_identifier(get_attname(relation, column, false));
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
	protection = dp_gate_protection(relation);
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

/* "column, ... -> relation (key, ...)" */
static char *
text_of_path(const DpProtection *protection)
{
	StringInfoData text;
	ListCell *cell;

	initStringInfo(&text);
	foreach (cell, protection->path_columns)
		appendStringInfo(&text, "%s%s", text.len > 0 ? ", " : "",
						 column_of(protection->relation, lfirst_int(cell)));
	appendStringInfo(&text, " -> %s (", name_of(protection->path_relation));
	foreach (cell, protection->path_keys)
		appendStringInfo(
			&text, "%s%s", cell == list_head(protection->path_keys) ? "" : ", ",
			column_of(protection->path_relation, lfirst_int(cell)));
	appendStringInfoChar(&text, ')');
	return text.data;
}

/* A join of what the path of the relation at that step leads to. */
static void
add_join(StringInfo from, const DpProtection *protection, int step)
{
	ListCell *column;
	ListCell *key;
	const char *and = " ON ";

	appendStringInfo(from, " JOIN %s AS t%d",
					 name_of(protection->path_relation), step + 1);
	forboth (column, protection->path_columns, key, protection->path_keys)
	{
		appendStringInfo(from, "%st%d.%s = t%d.%s", and, step,
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
	int count = list_length(units->relations);

	units->versions =
		count == 0 ? palloc(sizeof(int64))
				   : repalloc(units->versions, (count + 1) * sizeof(int64));
	units->versions[count] = protection->settings_version;
	units->relations = lappend_oid(units->relations, protection->relation);
	if (protection->contribution.neighbours == DP_SUBSTITUTE)
		units->neighbours = DP_SUBSTITUTE;
}

/* Follows the path to the relation that has the unit; returns the last step. */
static int
follow(DpUnits *units, const DpProtection **protection, StringInfo from)
{
	int step;

	add_relation(units, *protection);
	for (step = 0; (*protection)->unit == DP_UNIT_BY_PATH; step++)
	{
		Oid next = (*protection)->path_relation;
		int32 population = (*protection)->population;

		if (step == MOST_STEPS)
			refuse((*protection)->relation, "lie along a path without an end",
				   "Protect one of the relations by a column.");
		if (dp_owner_of((*protection)->relation) != dp_owner_of(next))
			refuse((*protection)->relation,
				   "lie along a path to a relation of another owner",
				   "Protect it by a column of its own.");
		add_join(from, *protection, step);
		*protection = protection_of(next);
		if ((*protection)->population != population)
			refuse(next, "are of another population",
				   "Protect the relation whose path leads there again.");
		add_relation(units, *protection);
	}
	return step;
}

/* The unit is found in the relation at that step: in a column, or its rows. */
static void
set_unit(DpUnits *units, const DpProtection *protection, int step)
{
	units->unit_names = "u";
	if (protection->unit > 0)
		units->unit = psprintf(
			"t%d.%s", step, column_of(protection->relation, protection->unit));
	if (protection->unit > 0 || step == 0)
		return;
	if (get_rel_relkind(protection->relation) == RELKIND_FOREIGN_TABLE)
		refuse(protection->relation, "are rows of a foreign table",
			   "Protect it by a column.");
	units->unit = psprintf("t%d.tableoid, t%d.ctid", step, step);
	units->unit_names = "u, w";
}

/* Columns whose bounds or values are declared. */
static Bitmapset *
declared_columns(Oid relation)
{
	Relation rel = relation_open(relation, NoLock);
	Bitmapset *result = NULL;
	int i;

	for (i = 0; i < RelationGetNumberOfAttributes(rel); i++)
	{
		Form_pg_attribute column = TupleDescAttr(RelationGetDescr(rel), i);
		Datum lower;
		Datum upper;
		List *texts;

		if (!column->attisdropped &&
			(dp_gate_bounds(relation, column->attnum,
							getBaseType(column->atttypid), &lower, &upper) ||
			 dp_gate_values(relation, column->attnum, &texts)))
			result = bms_add_member(result, column->attnum);
	}
	relation_close(rel, NoLock);
	return result;
}

/* Fills in the units; a picture must be open. */
static void
describe(Oid relation, DpUnits *units)
{
	const DpProtection *protection = protection_of(relation);
	StringInfoData from;
	int step;
	ListCell *cell;

	initStringInfo(&from);
	appendStringInfo(&from, " FROM %s AS " DP_UNITS_ALIAS, name_of(relation));
	units->relation = relation;
	units->owner = dp_owner_of(relation);
	units->neighbours = DP_ADD_REMOVE;
	units->contribution = protection->contribution;
	units->population = protection->population;
	units->several_rows =
		protection->unit == DP_UNIT_BY_PATH || !protection->unit_is_unique;
	if (protection->unit > 0)
	{
		units->path = get_attname(relation, protection->unit, false);
		units->is_about_units = bms_make_singleton(protection->unit);
	}
	if (protection->unit == DP_UNIT_BY_PATH)
		units->path = text_of_path(protection);
	foreach (cell, protection->path_columns)
		units->is_about_units =
			bms_add_member(units->is_about_units, lfirst_int(cell));
	units->has_bounds = declared_columns(relation);

	step = follow(units, &protection, &from);
	set_unit(units, protection, step);
	if (protection->unit > 0)
		appendStringInfo(&from, " WHERE %s IS NOT NULL", units->unit);
	units->from = from.data;
}

void
dp_units_of(Oid relation, DpUnits *units)
{
	DpPicture *picture = dp_gate_open_picture();

	memset(units, 0, sizeof(*units));
	PG_TRY();
	{
		describe(relation, units);
	}
	PG_FINALLY();
	{
		dp_gate_close_picture(picture);
	}
	PG_END_TRY();
}
