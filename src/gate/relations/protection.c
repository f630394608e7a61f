/*
 * protection.c
 *		Look-ups in the extension's tables and catalogs.
 *
 * Nothing is kept beyond the planning of a statement
 * (gate/relations/picture.h): only statements with a dp_ aggregate,
 * or that the server will refuse, get here, so a look-up for each of them is
 * cheap enough.
 *
 * The extension's tables hold names of columns, which are looked up among the
 * relation's present columns. The relation's definition is taken before that.
 * So if the columns are changed in between, the names are found among columns
 * at least as new, and the definition no longer matches when the statement
 * runs.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/stratnum.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "catalog/pg_type.h"
#include "nodes/value.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/syscache.h"

#include "gate/relations/look_up.h"
#include "gate/relations/picture.h"
#include "gate/relations/protection.h"
#include "server/compat.h"
#include "server/compat_permissions.h"
#include "server/unique_index.h"

/* Columns of the extension's tables, in the order of the install script. */
enum
{
	POPULATION_ID = 1,
	POPULATION_OWNER = 3,
	POPULATION_ACCOUNTANT = 5
};

enum
{
	MEMBER_ID = 1,
	MEMBER_POPULATION,
	MEMBER_RELATION,
	MEMBER_UNIT = 6,
	MEMBER_PATH_COLUMNS,
	MEMBER_PATH_MEMBER,
	MEMBER_PATH_KEYS,
	MEMBER_NEIGHBOURS,
	MEMBER_MAX_ROWS,
	MEMBER_MAX_GROUPS,
	MEMBER_MIN_PEOPLE,
	MEMBER_LEVELS,
	MEMBER_SETTINGS_VERSION
};

/* Columns of names; NIL where one of them is not there. */
static List *
columns_of(Oid relation, Datum names)
{
	List *columns = NIL;
	ListCell *cell;

	foreach (cell, dp_look_up_names(names))
	{
		AttrNumber column = get_attnum(relation, lfirst(cell));

		if (column <= 0)
			return NIL;
		columns = lappend_int(columns, column);
	}
	return columns;
}

/* A column that is never null. */
static Datum
column_of(const DpLookUp *row, int column)
{
	bool isnull;
	Datum value = dp_look_up_column(row, column, &isnull);

	if (isnull)
		elog(ERROR, "column %d of a protected relation's settings is null",
			 column);
	return value;
}

static bool
is_text(Datum value, const char *expected)
{
	return strcmp(TextDatumGetCString(value), expected) == 0;
}

/* The relation of a member; InvalidOid where there is no such member. */
static Oid
relation_of(const DpPicture *picture, Datum member)
{
	DpLookUp row;
	ScanKeyData key;
	Oid relation;

	ScanKeyInit(&key, MEMBER_ID, BTEqualStrategyNumber, F_INT4EQ, member);
	dp_look_up_begin(&row, picture, "member", "member_pkey", 1, &key);
	if (!dp_look_up_next(&row))
		return InvalidOid;
	relation = DatumGetObjectId(column_of(&row, MEMBER_RELATION));
	dp_look_up_end(&row);
	return relation;
}

/* Sets the path to the relation that has the unit, if there is one. */
static void
set_path(const DpPicture *picture, const DpLookUp *row,
		 DpProtection *protection)
{
	bool isnull;
	Datum columns = dp_look_up_column(row, MEMBER_PATH_COLUMNS, &isnull);
	Datum member;
	Datum keys;

	if (isnull)
		return;
	protection->unit = DP_UNIT_BY_PATH;
	protection->path_columns = columns_of(protection->relation, columns);
	member = dp_look_up_column(row, MEMBER_PATH_MEMBER, &isnull);
	if (!isnull)
		protection->path_relation = relation_of(picture, member);
	keys = dp_look_up_column(row, MEMBER_PATH_KEYS, &isnull);
	if (OidIsValid(protection->path_relation) && !isnull)
		protection->path_keys = columns_of(protection->path_relation, keys);
}

/* Privacy levels, as Float nodes. */
static List *
levels_of(Datum array)
{
	List *levels = NIL;
	Datum *elements;
	int count;
	int i;

	deconstruct_array(DatumGetArrayTypeP(array), NUMERICOID, -1, false,
					  TYPALIGN_INT, &elements, NULL, &count);
	for (i = 0; i < count; i++)
		levels = lappend(levels, makeFloat(DatumGetCString(DirectFunctionCall1(
									 numeric_out, elements[i]))));
	return levels;
}

/* What a member's row has. unit: name of the column, or NULL. */
static void
set_member(const DpPicture *picture, const DpLookUp *row, DpPictured *pictured,
		   const char **unit)
{
	DpProtection *protection = &pictured->protection;
	DpContribution *contribution = &protection->contribution;
	bool isnull;
	Datum value;

	protection->member = DatumGetInt32(column_of(row, MEMBER_ID));
	protection->population = DatumGetInt32(column_of(row, MEMBER_POPULATION));
	protection->settings_version =
		DatumGetInt64(column_of(row, MEMBER_SETTINGS_VERSION));
	contribution->neighbours =
		is_text(column_of(row, MEMBER_NEIGHBOURS), "substitute")
			? DP_SUBSTITUTE
			: DP_ADD_REMOVE;
	contribution->rows =
		(uint32) DatumGetInt32(column_of(row, MEMBER_MAX_ROWS));
	contribution->groups =
		(uint32) DatumGetInt32(column_of(row, MEMBER_MAX_GROUPS));
	protection->people =
		(uint32) DatumGetInt32(column_of(row, MEMBER_MIN_PEOPLE));
	value = dp_look_up_column(row, MEMBER_UNIT, &isnull);
	*unit = isnull ? NULL : pstrdup(NameStr(*DatumGetName(value)));
	set_path(picture, row, protection);
	value = dp_look_up_column(row, MEMBER_LEVELS, &isnull);
	pictured->levels = isnull ? NIL : levels_of(value);
}

/* What its population's row has; false where there is none. */
static bool
look_up_population(const DpPicture *picture, DpProtection *protection)
{
	DpLookUp row;
	ScanKeyData key;

	ScanKeyInit(&key, POPULATION_ID, BTEqualStrategyNumber, F_INT4EQ,
				Int32GetDatum(protection->population));
	dp_look_up_begin(&row, picture, "population", "population_pkey", 1, &key);
	if (!dp_look_up_next(&row))
		return false;
	protection->population_owner =
		DatumGetObjectId(column_of(&row, POPULATION_OWNER));
	protection->counts_rho =
		is_text(column_of(&row, POPULATION_ACCOUNTANT), "zcdp");
	dp_look_up_end(&row);
	return true;
}

/*
 * The settings of a relation in the tables; false where it is not protected.
 * unit: name of the column, or NULL.
 */
static bool
look_up_settings(DpPicture *picture, DpPictured *pictured, const char **unit)
{
	DpLookUp row;
	ScanKeyData key;

	if (!OidIsValid(dp_picture_extension(picture)))
		return false;
	ScanKeyInit(&key, MEMBER_RELATION, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(pictured->relation));
	dp_look_up_begin(&row, picture, "member", "member_relation", 1, &key);
	if (!dp_look_up_next(&row))
		return false;
	set_member(picture, &row, pictured, unit);
	dp_look_up_end(&row);
	if (look_up_population(picture, &pictured->protection))
		return true;
	pictured->protection = (DpProtection){.relation = pictured->relation};
	return false;
}

/* True for an index of which no two rows have the same value in a column. */
static bool
is_unique_index(Oid index, AttrNumber column)
{
	HeapTuple tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(index));
	Form_pg_index form;
	bool result;

	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_index) GETSTRUCT(tuple);
	result = dp_is_unique_index(tuple) && form->indnkeyatts == 1 &&
			 form->indkey.values[0] == column;
	ReleaseSysCache(tuple);
	return result;
}

bool
dp_protection_has_heirs(Relation relation)
{
	return relation->rd_rel->relkind == RELKIND_RELATION &&
		   relation->rd_rel->relhassubclass;
}

/*
 * The index that makes a column's values unique. An index says nothing about
 * the rows of inheriting tables.
 */
static Oid
find_unit_index(Relation relation, AttrNumber column)
{
	Oid found = InvalidOid;
	List *indexes;
	ListCell *cell;

	if (column <= 0 || dp_protection_has_heirs(relation))
		return InvalidOid;
	indexes = RelationGetIndexList(relation); /* in the order of oids */
	foreach (cell, indexes)
	{
		if (!OidIsValid(found) && is_unique_index(lfirst_oid(cell), column))
			found = lfirst_oid(cell);
	}
	list_free(indexes);
	return found;
}

/* The column of a name; -1 where there is none. */
static AttrNumber
find_column(Oid relation, const char *name)
{
	AttrNumber column = get_attnum(relation, name);

	return column > 0 ? column : -1;
}

/*
 * What the catalogs say of the unit, and the definition that goes with it.
 * Where the index has changed since the definition was taken, there is none.
 */
static void
look_up_unit(DpProtection *protection, const char *unit)
{
	Relation relation = RelationIdGetRelation(protection->relation);
	Oid index;

	if (relation == NULL)
	{
		protection->unit = -1;
		return;
	}
	index = unit == NULL
				? InvalidOid
				: find_unit_index(relation,
								  find_column(protection->relation, unit));
	protection->definition = dp_definition_of(protection->relation, index);
	if (protection->unit == DP_UNIT_BY_PATH && unit == NULL)
	{
		RelationClose(relation);
		return;
	}
	protection->unit =
		unit == NULL ? 0 : find_column(protection->relation, unit);
	protection->unit_index = find_unit_index(relation, protection->unit);
	if (protection->unit_index != index)
		protection->definition = NULL;
	protection->unit_is_unique =
		protection->unit == 0 || OidIsValid(protection->unit_index);
	RelationClose(relation);
}

DpPictured *
dp_picture_relation(Oid relation)
{
	DpPicture *picture = dp_picture_current();
	DpPictured *pictured = dp_picture_find_relation(picture, relation);
	MemoryContext old;
	const char *unit;

	if (pictured->is_known)
		return pictured;
	old = MemoryContextSwitchTo(picture->context);
	memset(&pictured->protection, 0, sizeof(DpProtection));
	pictured->protection.relation = relation;
	pictured->protection.is_protected =
		look_up_settings(picture, pictured, &unit);
	if (pictured->protection.is_protected)
		look_up_unit(&pictured->protection, unit);
	else
		pictured->protection.definition =
			dp_definition_of(relation, InvalidOid);
	pictured->is_known = true;
	MemoryContextSwitchTo(old);
	return pictured;
}

const DpProtection *
dp_protection_of(Oid relation)
{
	return &dp_picture_relation(relation)->protection;
}

bool
dp_protection_exists(Oid relation)
{
	return dp_protection_of(relation)->is_protected;
}

Oid
dp_protection_view(const RangeTblEntry *rte)
{
	Oid view = dp_compat_view_of(rte);

	return OidIsValid(view) && dp_protection_exists(view) ? view : InvalidOid;
}

bool
dp_protection_is_not_null(Oid relation, AttrNumber column)
{
	Relation found = RelationIdGetRelation(relation);
	bool result;

	if (found == NULL)
		return false;
	result = dp_compat_is_never_null(found, column);
	RelationClose(found);
	return result;
}
