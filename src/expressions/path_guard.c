/*
 * path_guard.c
 *		Paths of json that are followed within bounds of time and stack.
 *
 * Let through is a path that visits each part of a value once, and so takes as
 * long as the value is: by keys, by elements, by filters over what they found.
 * Where two such walks are compared with each other, or numbers multiplied,
 * it takes the square of that, and values must be shorter.
 *
 * Not let through is what visits parts again and again, or deeper than the
 * stack may allow: ** and lists of subscripts; $ within a filter, which starts
 * over for each item; variables that have no value, which is an error of another
 * class. Nor what asks a locale, or reads dates: like_regex and
 * datetime(). All else that a later version brings along, neither.
 */
#include "postgres.h"

#include "utils/jsonb.h"
#include "utils/jsonpath.h"

#include "expressions/guards.h"

/* Bytes of a path, which is followed by recursion, and of its variables. */
#define LONGEST_PATH ((Size) 500)
#define LONGEST_VARIABLES ((Size) 2048)

/* Bytes of a value that is gone through once, or for each part of itself. */
#define LONGEST_WALK ((Size) 256 * 1024)
#define LONGEST_SQUARE ((Size) 8 * 1024)

typedef struct GuardedPath
{
	Jsonb *variables; /* or NULL */
	bool has_walk;	  /* a part of it goes through a value: $ or @ */
	bool is_square;	  /* two of them are combined */
} GuardedPath;

static bool is_bounded(JsonPathItem *item, GuardedPath *path, bool is_inside);

/* Two operands, whose walks meet where both have one. */
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

/* A variable that is not there is no data exception. */
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
