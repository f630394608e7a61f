/*
 * path_guard.c
 *		Paths of json that are followed within bounds of time and stack.
 *
 * A path is accepted if it visits each part of a value once, by keys, by
 * elements, or by filters over what these found: its time is linear in the size
 * of the value. Where two such walks are compared with each other, or numbers
 * multiplied, the time is quadratic, and values must be shorter.
 *
 * A path is refused if it visits parts again and again, or deeper than the
 * stack may allow: ** and lists of subscripts, and $ within a filter, which
 * starts over for each item. Refused as well are variables without a value, an
 * error of another class; like_regex and datetime(), which use a locale or read
 * dates; and whatever a later version of the server adds.
 */
#include "postgres.h"

#include "utils/jsonb.h"
#include "utils/jsonpath.h"

#include "expressions/guards.h"

/* Bytes of a path, over which the server recurses, and of its variables. */
#define LONGEST_PATH ((Size) 500)
#define LONGEST_VARIABLES ((Size) 2048)

/* Bytes of a value that is walked once, or once for each of its parts. */
#define LONGEST_WALK ((Size) 256 * 1024)
#define LONGEST_SQUARE ((Size) 8 * 1024)

typedef struct GuardedPath
{
	Jsonb *variables; /* or NULL */
	bool has_walk;	  /* it walks through a value: it has $ or @ */
	bool is_square;	  /* two such walks are combined */
} GuardedPath;

static bool is_bounded(JsonPathItem *item, GuardedPath *path, bool is_inside);

/* Two operands; if both walk through a value, the walks are combined. */
static bool
are_bounded(JsonPathItem *item, GuardedPath *path, bool is_inside,
			bool is_product)
{
	GuardedPath left = {path->variables, false, false};
	GuardedPath right = {path->variables, false, false};
	JsonPathItem arg;

	jspGetLeftArg(item, &arg);
	if (!is_bounded(&arg, &left, is_inside))
		return false;
	jspGetRightArg(item, &arg);
	if (!is_bounded(&arg, &right, is_inside))
		return false;
	path->has_walk |= left.has_walk || right.has_walk;
	path->is_square |= left.is_square || right.is_square ||
					   (is_product && left.has_walk && right.has_walk);
	return true;
}

static bool
is_bounded_subscript(JsonPathItem *item, GuardedPath *path)
{
	JsonPathItem from;
	JsonPathItem to;

	if (item->content.array.nelems != 1)
		return false;
	if (jspGetArraySubscript(item, &from, &to, 0) &&
		!is_bounded(&to, path, true))
		return false;
	return is_bounded(&from, path, true);
}

/* The error of a missing variable is not a data exception. */
static bool
is_known(JsonPathItem *item, GuardedPath *path)
{
	int length;
	char *name = jspGetString(item, &length);
	JsonbValue *value = path->variables == NULL
							? NULL
							: getKeyJsonValueFromContainer(
								  &path->variables->root, name, length, NULL);

	path->has_walk |= value != NULL && value->type == jbvBinary;
	return value != NULL;
}

/* is_inside: within a filter or a subscript, evaluated for each item. */
static bool
is_bounded_item(JsonPathItem *item, GuardedPath *path, bool is_inside)
{
	JsonPathItem arg;

	switch (item->type)
	{
		case jpiRoot:
			path->has_walk = true;
			return !is_inside;
		case jpiCurrent:
			path->has_walk = true;
			return true;
		case jpiVariable:
			return is_known(item, path);
		case jpiNull:
		case jpiString:
		case jpiNumeric:
		case jpiBool:
		case jpiKey:
		case jpiAnyArray:
		case jpiAnyKey:
		case jpiLast:
		case jpiType:
		case jpiSize:
		case jpiAbs:
		case jpiFloor:
		case jpiCeiling:
		case jpiDouble:
			return true;
		case jpiAnd:
		case jpiOr:
		case jpiAdd:
		case jpiSub:
			return are_bounded(item, path, is_inside, false);
		case jpiEqual:
		case jpiNotEqual:
		case jpiLess:
		case jpiGreater:
		case jpiLessOrEqual:
		case jpiGreaterOrEqual:
		case jpiStartsWith:
		case jpiMul:
		case jpiDiv:
		case jpiMod:
			return are_bounded(item, path, is_inside, true);
		case jpiNot:
		case jpiIsUnknown:
		case jpiExists:
		case jpiPlus:
		case jpiMinus:
			jspGetArg(item, &arg);
			return is_bounded(&arg, path, is_inside);
		case jpiFilter:
			jspGetArg(item, &arg);
			return is_bounded(&arg, path, true);
		case jpiIndexArray:
			return is_bounded_subscript(item, path);
		default:
			return false;
	}
}

static bool
is_bounded(JsonPathItem *item, GuardedPath *path, bool is_inside)
{
	JsonPathItem next;

	for (;;)
	{
		if (!is_bounded_item(item, path, is_inside))
			return false;
		if (!jspGetNext(item, &next))
			return true;
		*item = next;
	}
}

bool
dp_guard_path(FunctionCallInfo call)
{
	GuardedPath path = {NULL, false, false};
	JsonPathItem item;

	if (dp_guard_size(call->args[1].value) > LONGEST_PATH)
		return false;
	if (call->nargs > 2)
	{
		if (dp_guard_size(call->args[2].value) > LONGEST_VARIABLES)
			return false;
		path.variables = DatumGetJsonbP(call->args[2].value);
		if (!JB_ROOT_IS_OBJECT(path.variables))
			return false;
	}
	jspInit(&item, DatumGetJsonPathP(call->args[1].value));
	return is_bounded(&item, &path, false) &&
		   dp_guard_size(call->args[0].value) <=
			   (path.is_square ? LONGEST_SQUARE : LONGEST_WALK);
}
