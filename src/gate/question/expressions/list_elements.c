/*
 * list_elements.c
 *		The elements of an array that is written out.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "gate/question/expressions/list_elements.h"

/* The elements of an array, as constants. */
static List *
constants_of(ArrayType *array)
{
	Oid type = ARR_ELEMTYPE(array);
	List *constants = NIL;
	int16 length;
	bool by_value;
	char align;
	Datum *values;
	bool *nulls;
	int count;
	int i;

	get_typlenbyvalalign(type, &length, &by_value, &align);
	deconstruct_array(array, type, length, by_value, align, &values, &nulls,
					  &count);
	for (i = 0; i < count; i++)
		constants = lappend(constants,
							makeConst(type, -1, get_typcollation(type), length,
									  values[i], nulls[i], by_value));
	return constants;
}

bool
dp_gate_list_elements(Node *array, List **elements)
{
	if (IsA(array, ArrayExpr) && !((ArrayExpr *) array)->multidims)
	{
		*elements = ((ArrayExpr *) array)->elements;
		return true;
	}
	if (IsA(array, Const) && !((Const *) array)->constisnull)
	{
		*elements =
			constants_of(DatumGetArrayTypeP(((Const *) array)->constvalue));
		return true;
	}
	return false;
}
