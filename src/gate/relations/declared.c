/*
 * declared.c
 *		What owners declared of the values of columns, and privacy levels.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "gate/relations/declared.h"
#include "gate/relations/look_up.h"
#include "server/lists.h"
#include "server/ordered_type.h"

/* Columns of both tables, in the order of the install script. */
enum
{
	COLUMN_MEMBER = 1,
	COLUMN_NAME,
	BOUNDS_LOWER,
	BOUNDS_UPPER,
	BOUNDS_KIND,
	VALUES_VALUES = BOUNDS_LOWER
};

/* What the tables have of a column. */
typedef struct Declared
{
	char *column;
	char *kind; /* of bounds; NULL: there are none */
	Datum lower;
	Datum upper;
	bool has_values;
	bool knows_values; /* values holds */
	List *values;	   /* texts */
} Declared;

/* Of a list; it is added where it is not there yet. */
static Declared *
declared_of(List **declared, char *column)
{
	Declared *new;
	ListCell *cell;

	foreach (cell, *declared)
	{
		if (strcmp(((Declared *) lfirst(cell))->column, column) == 0)
			return lfirst(cell);
	}
	new = palloc0(sizeof(Declared));
	new->column = column;
	*declared = lappend(*declared, new);
	return new;
}

static DpLookUp
begin_columns(const DpPicture *picture, int32 member, const char *table,
			  const char *index)
{
	DpLookUp rows;
	ScanKeyData key;

	ScanKeyInit(&key, COLUMN_MEMBER, BTEqualStrategyNumber, F_INT4EQ,
				Int32GetDatum(member));
	dp_look_up_begin(&rows, picture, table, index, 1, &key);
	return rows;
}

static char *
name_of(const DpLookUp *row)
{
	bool isnull;

	return pstrdup(
		NameStr(*DatumGetName(dp_look_up_column(row, COLUMN_NAME, &isnull))));
}

/* A number of a row, whole and in memory of its own. */
static Datum
number_of(const DpLookUp *row, int column)
{
	bool isnull;

	return PointerGetDatum(
		PG_DETOAST_DATUM_COPY(dp_look_up_column(row, column, &isnull)));
}

/* Which columns of a relation have declarations, and all bounds. */
static List *
look_up_columns(const DpPicture *picture, int32 member)
{
	List *result = NIL;
	DpLookUp rows =
		begin_columns(picture, member, "column_bounds", "column_bounds_pkey");

	while (dp_look_up_next(&rows))
	{
		Declared *declared = declared_of(&result, name_of(&rows));
		bool isnull;

		declared->kind =
			TextDatumGetCString(dp_look_up_column(&rows, BOUNDS_KIND, &isnull));
		declared->lower = number_of(&rows, BOUNDS_LOWER);
		declared->upper = number_of(&rows, BOUNDS_UPPER);
	}
	rows =
		begin_columns(picture, member, "column_values", "column_values_pkey");
	while (dp_look_up_next(&rows))
		declared_of(&result, name_of(&rows))->has_values = true;
	return result;
}

/* NULL: nothing is declared of it. */
static Declared *
find(Oid relation, AttrNumber column)
{
	DpPictured *pictured = dp_picture_relation(relation);
	DpPicture *picture = dp_picture_current();
	const char *name;
	MemoryContext old;

	if (!pictured->protection.is_protected)
		return NULL;
	if (!pictured->knows_columns)
	{
		old = MemoryContextSwitchTo(picture->context);
		pictured->columns =
			look_up_columns(picture, pictured->protection.member);
		pictured->knows_columns = true;
		MemoryContextSwitchTo(old);
	}
	name =
		pictured->columns == NIL ? NULL : get_attname(relation, column, true);
	foreach_ptr (Declared, declared, name == NULL ? NIL : pictured->columns)
	{
		if (strcmp(declared->column, name) == 0)
			return declared;
	}
	return NULL;
}

bool
dp_declared_exists(Oid relation, AttrNumber column)
{
	return find(relation, column) != NULL;
}

bool
dp_declared_bounds(Oid relation, AttrNumber column, Oid type, Datum *lower,
				   Datum *upper)
{
	const DpOrderedType *ordered = dp_ordered_type(type);
	const Declared *declared = find(relation, column);

	if (declared == NULL || declared->kind == NULL ||
		strcmp(declared->kind, ordered == NULL ? "number" : ordered->name) != 0)
		return false;
	*lower = datumCopy(declared->lower, false, -1);
	*upper = datumCopy(declared->upper, false, -1);
	return true;
}

static void
look_up_values(const DpPicture *picture, int32 member, Declared *declared)
{
	DpLookUp row;
	ScanKeyData keys[2];
	NameData name;
	bool isnull;

	namestrcpy(&name, declared->column);
	ScanKeyInit(&keys[0], COLUMN_MEMBER, BTEqualStrategyNumber, F_INT4EQ,
				Int32GetDatum(member));
	ScanKeyInit(&keys[1], COLUMN_NAME, BTEqualStrategyNumber, F_NAMEEQ,
				NameGetDatum(&name));
	dp_look_up_begin(&row, picture, "column_values", "column_values_pkey",
					 lengthof(keys), keys);
	declared->knows_values = true;
	declared->has_values = dp_look_up_next(&row);
	if (!declared->has_values)
		return;
	declared->values =
		dp_look_up_texts(dp_look_up_column(&row, VALUES_VALUES, &isnull));
	dp_look_up_end(&row);
}

bool
dp_declared_values(Oid relation, AttrNumber column, List **texts)
{
	Declared *declared = find(relation, column);
	DpPicture *picture = dp_picture_current();
	MemoryContext old;

	*texts = NIL;
	if (declared == NULL || !declared->has_values)
		return false;
	if (!declared->knows_values)
	{
		old = MemoryContextSwitchTo(picture->context);
		look_up_values(picture, dp_protection_of(relation)->member, declared);
		MemoryContextSwitchTo(old);
	}
	*texts = declared->values;
	return declared->has_values;
}

List *
dp_declared_levels(Oid relation)
{
	return copyObject(dp_picture_relation(relation)->levels);
}
