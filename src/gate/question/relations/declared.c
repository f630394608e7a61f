/*
 * declared.c
 *		What owners declared of the values of columns, and privacy levels.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"

#include "gate/question/relations/declared.h"
#include "gate/question/relations/look_up.h"
#include "server/ordered_type.h"

/* What the tables have of a column. */
typedef struct OfColumn
{
	AttrNumber column;
	bool is_there;
	Datum values[3];
} OfColumn;

/*
 * Of a list in the picture; where it does not have the column, by a look-up
 * with the member's number and the column's name.
 */
static OfColumn *
find_of_column(const DpPictured *pictured, List **known, AttrNumber column,
			   DpLookUp *look_up, int ncolumns)
{
	DpPicture *picture = dp_gate_current_picture();
	Datum args[2] = {Int32GetDatum(pictured->protection.member)};
	MemoryContext old;
	OfColumn *of_column;
	NameData name;
	char *found;
	ListCell *cell;

	foreach (cell, *known)
	{
		of_column = lfirst(cell);
		if (of_column->column == column)
			return of_column;
	}
	old = MemoryContextSwitchTo(picture->context);
	of_column = palloc0(sizeof(OfColumn));
	of_column->column = column;
	found = get_attname(pictured->relation, column, true);
	if (found != NULL)
	{
		namestrcpy(&name, found);
		args[1] = NameGetDatum(&name);
		of_column->is_there = dp_gate_look_up(picture, look_up, args, ncolumns,
											  of_column->values);
	}
	*known = lappend(*known, of_column);
	MemoryContextSwitchTo(old);
	return of_column;
}

static const OfColumn *
bounds_of(DpPictured *pictured, AttrNumber column)
{
	static DpLookUp look_up = {"SELECT b.lower, b.upper, b.kind"
							   " FROM dp_noise_ledger.column_bounds AS b"
							   " WHERE b.member_id = $1 AND b.column_name = $2",
							   2,
							   {INT4OID, NAMEOID},
							   NULL};

	return find_of_column(pictured, &pictured->bounds, column, &look_up, 3);
}

static const OfColumn *
values_of(DpPictured *pictured, AttrNumber column)
{
	static DpLookUp look_up = {
		"SELECT v.column_values FROM dp_noise_ledger.column_values AS v"
		" WHERE v.member_id = $1 AND v.column_name = $2",
		2,
		{INT4OID, NAMEOID},
		NULL};

	return find_of_column(pictured, &pictured->values, column, &look_up, 1);
}

bool
dp_gate_is_declared(Oid relation, AttrNumber column)
{
	DpPictured *pictured = dp_gate_pictured(relation);

	return pictured->protection.is_protected &&
		   (bounds_of(pictured, column)->is_there ||
			values_of(pictured, column)->is_there);
}

bool
dp_gate_bounds(Oid relation, AttrNumber column, Oid type, Datum *lower,
			   Datum *upper)
{
	DpPictured *pictured = dp_gate_pictured(relation);
	const DpOrderedType *ordered = dp_ordered_type(type);
	const OfColumn *bounds;

	if (!pictured->protection.is_protected)
		return false;
	bounds = bounds_of(pictured, column);
	if (!bounds->is_there ||
		strcmp(TextDatumGetCString(bounds->values[2]),
			   ordered == NULL ? "number" : ordered->name) != 0)
		return false;
	*lower = datumCopy(bounds->values[0], false, -1);
	*upper = datumCopy(bounds->values[1], false, -1);
	return true;
}

bool
dp_gate_values(Oid relation, AttrNumber column, List **texts)
{
	DpPictured *pictured = dp_gate_pictured(relation);
	const OfColumn *values;

	*texts = NIL;
	if (!pictured->protection.is_protected)
		return false;
	values = values_of(pictured, column);
	if (!values->is_there)
		return false;
	*texts = dp_gate_texts_of(values->values[0]);
	return true;
}

List *
dp_gate_levels(Oid relation)
{
	return copyObject(dp_gate_pictured(relation)->levels);
}
