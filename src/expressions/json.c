/*
 * json.c
 *		Equality of jsonb, without a locale.
 *
 * The server's own function compares strings by the database's collation,
 * although only identical strings are equal in the end. Here bytes are
 * compared, so that no locale can fail for a row. The result is the same.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"

static bool
are_same_items(const JsonbValue *left, const JsonbValue *right)
{
	if (left->type != right->type)
		return false;
	switch (left->type)
	{
		case jbvNull:
			return true;
		case jbvBool:
			return left->val.boolean == right->val.boolean;
		case jbvNumeric:
			return DatumGetBool(DirectFunctionCall2(
				numeric_eq, NumericGetDatum(left->val.numeric),
				NumericGetDatum(right->val.numeric)));
		case jbvString:
			return left->val.string.len == right->val.string.len &&
				   memcmp(left->val.string.val, right->val.string.val,
						  (size_t) left->val.string.len) == 0;
		case jbvArray:
			return left->val.array.rawScalar == right->val.array.rawScalar &&
				   left->val.array.nElems == right->val.array.nElems;
		case jbvObject:
			return left->val.object.nPairs == right->val.object.nPairs;
		default:
			elog(ERROR, "unexpected type %d in jsonb", (int) left->type);
	}
}

/* Objects keep their keys in one order, so both are walked in parallel. */
static bool
are_same(Jsonb *left, Jsonb *right)
{
	JsonbIterator *left_iterator = JsonbIteratorInit(&left->root);
	JsonbIterator *right_iterator = JsonbIteratorInit(&right->root);

	for (;;)
	{
		JsonbValue left_item;
		JsonbValue right_item;
		JsonbIteratorToken token =
			JsonbIteratorNext(&left_iterator, &left_item, false);

		if (JsonbIteratorNext(&right_iterator, &right_item, false) != token)
			return false;
		if (token == WJB_DONE)
			return true;
		if (token != WJB_END_ARRAY && token != WJB_END_OBJECT &&
			!are_same_items(&left_item, &right_item))
			return false;
	}
}

PG_FUNCTION_INFO_V1(dp_try_jsonb_eq);

Datum
dp_try_jsonb_eq(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(are_same(PG_GETARG_JSONB_P(0), PG_GETARG_JSONB_P(1)));
}

PG_FUNCTION_INFO_V1(dp_try_jsonb_ne);

Datum
dp_try_jsonb_ne(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(!are_same(PG_GETARG_JSONB_P(0), PG_GETARG_JSONB_P(1)));
}
