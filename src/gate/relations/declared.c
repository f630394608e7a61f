/*
 * declared.c
 *		What owners declared of the values of columns, and privacy levels.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

#include "gate/relations/declared.h"
#include "gate/relations/look_up.h"
#include "server/ordered_type.h"

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

static Datum
read_number(char *text)
{
	return DirectFunctionCall3(numeric_in, CStringGetDatum(text),
							   ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
}

static List *
texts_of(Datum array)
{
	return array == (Datum) 0 ? NIL : dp_gate_texts_of(array);
}

/* Which columns of a relation have declarations, and all bounds: one look-up. */
static List *
look_up_columns(const DpPicture *picture, int32 member)
{
	static DpLookUp look_up = {
		"SELECT array_agg(b.column_name::text), array_agg(b.kind),"
		" array_agg(b.lower::text), array_agg(b.upper::text),"
		" (SELECT array_agg(v.column_name::text)"
		" FROM dp_noise_ledger.column_values AS v WHERE v.member_id = $1)"
		" FROM dp_noise_ledger.column_bounds AS b WHERE b.member_id = $1",
		1,
		{INT4OID},
		NULL};
	Datum args[1] = {Int32GetDatum(member)};
	Datum found[5];
	List *result = NIL;
	ListCell *column;
	ListCell *kind;
	ListCell *lower;
	ListCell *upper;

	if (!dp_gate_look_up(picture, &look_up, args, lengthof(found), found))
		return NIL;
	forfour(column, texts_of(found[0]), kind, texts_of(found[1]), lower,
			texts_of(found[2]), upper, texts_of(found[3]))
	{
		Declared *declared = declared_of(&result, lfirst(column));

		declared->kind = lfirst(kind);
		declared->lower = read_number(lfirst(lower));
		declared->upper = read_number(lfirst(upper));
	}
	foreach (column, texts_of(found[4]))
		declared_of(&result, lfirst(column))->has_values = true;
	return result;
}

/* NULL: nothing is declared of it. */
static Declared *
find(Oid relation, AttrNumber column)
{
	DpPictured *pictured = dp_gate_pictured(relation);
	DpPicture *picture = dp_gate_current_picture();
	const char *name;
	MemoryContext old;
	ListCell *cell;

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
	foreach (cell, name == NULL ? NIL : pictured->columns)
	{
		if (strcmp(((Declared *) lfirst(cell))->column, name) == 0)
			return lfirst(cell);
	}
	return NULL;
}

bool
dp_gate_is_declared(Oid relation, AttrNumber column)
{
	return find(relation, column) != NULL;
}

bool
dp_gate_bounds(Oid relation, AttrNumber column, Oid type, Datum *lower,
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
	static DpLookUp look_up = {
		"SELECT v.column_values FROM dp_noise_ledger.column_values AS v"
		" WHERE v.member_id = $1 AND v.column_name = $2",
		2,
		{INT4OID, NAMEOID},
		NULL};
	Datum args[2] = {Int32GetDatum(member)};
	Datum values[1];
	NameData name;

	namestrcpy(&name, declared->column);
	args[1] = NameGetDatum(&name);
	declared->has_values = dp_gate_look_up(picture, &look_up, args, 1, values);
	if (declared->has_values)
		declared->values = dp_gate_texts_of(values[0]);
	declared->knows_values = true;
}

bool
dp_gate_values(Oid relation, AttrNumber column, List **texts)
{
	Declared *declared = find(relation, column);
	DpPicture *picture = dp_gate_current_picture();
	MemoryContext old;

	*texts = NIL;
	if (declared == NULL || !declared->has_values)
		return false;
	if (!declared->knows_values)
	{
		old = MemoryContextSwitchTo(picture->context);
		look_up_values(picture, dp_gate_protection(relation)->member, declared);
		MemoryContextSwitchTo(old);
	}
	*texts = declared->values;
	return declared->has_values;
}

List *
dp_gate_levels(Oid relation)
{
	return copyObject(dp_gate_pictured(relation)->levels);
}
