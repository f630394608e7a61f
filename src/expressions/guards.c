/*
 * guards.c
 *		Arguments that functions take within bounds of memory and time.
 */
#include "postgres.h"

#include <ctype.h>
#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

#include "expressions/guards.h"
#include "server/compat.h"

/*
 * Limit on the recursion of LIKE, one level for each % before the pattern's
 * last.
 */
#define MOST_WILDCARDS 100

/* Bytes of a regular expression, and of the text that it is matched against. */
#define LONGEST_REGEXP 1000
#define LONGEST_REGEXP_TEXT ((Size) 32 * 1024)

/* Steps of a search for each byte of a text at each byte of another. */
#define MOST_STEPS ((Size) 64 * 1024 * 1024)

/* Characters of a text that is made longer. */
#define LONGEST_PADDED 10000

/* How deep json may be nested. */
#define DEEPEST_JSON 100

/*
 * Bytes of a jsonb that another may contain: the comparison recurses into it.
 */
#define LONGEST_CONTAINED ((Size) 2048)

/* Bytes of a format, and of a time zone's name. */
#define LONGEST_FORMAT 200
#define LONGEST_ZONE 100

/* Bytes of a text that becomes an array, and numbers that become a text. */
#define LONGEST_SPLIT ((Size) 64 * 1024)
#define MOST_NUMBERS 100

/* Bytes of a date or time. */
#define LONGEST_DATE 100

static Size
text_length(FunctionCallInfo call, int argument)
{
	return dp_guard_size(call->args[argument].value) - VARHDRSZ;
}

static int
count_bytes(const text *value, char byte)
{
	const char *data = VARDATA_ANY(value);
	int count = 0;
	int i;

	for (i = 0; i < (int) VARSIZE_ANY_EXHDR(value); i++)
		count += data[i] == byte;
	return count;
}

const Const *
dp_guard_constant(FunctionCallInfo call, int argument)
{
	const Node *written = call->flinfo->fn_expr;
	List *arguments = NIL;
	const Const *constant;

	if (written != NULL && IsA(written, FuncExpr))
		arguments = ((const FuncExpr *) written)->args;
	else if (written != NULL && IsA(written, OpExpr))
		arguments = ((const OpExpr *) written)->args;
	if (argument >= list_length(arguments))
		return NULL;
	constant = list_nth(arguments, argument);
	return IsA(constant, Const) && !constant->constisnull ? constant : NULL;
}

bool
dp_guard_is_by_size(DpWrappedGuard guard)
{
	return guard == dp_guard_search || guard == dp_guard_like ||
		   guard == dp_guard_regexp || guard == dp_guard_regexp_replace ||
		   guard == dp_guard_replace || guard == dp_guard_repeat;
}

bool
dp_guard_search(FunctionCallInfo call)
{
	return text_length(call, 0) * text_length(call, 1) <= MOST_STEPS;
}

bool
dp_guard_like(FunctionCallInfo call)
{
	return text_length(call, 1) <= LONGEST_REGEXP && dp_guard_search(call) &&
		   count_bytes(DatumGetTextPP(call->args[1].value), '%') <=
			   MOST_WILDCARDS;
}

bool
dp_guard_regexp(FunctionCallInfo call)
{
	const text *pattern;
	const char *data;
	int i;

	if (text_length(call, 0) > LONGEST_REGEXP_TEXT ||
		text_length(call, 1) > LONGEST_REGEXP)
		return false;

	/* A back reference may take exponential time. */
	pattern = DatumGetTextPP(call->args[1].value);
	data = VARDATA_ANY(pattern);
	for (i = 0; i + 1 < (int) VARSIZE_ANY_EXHDR(pattern); i++)
	{
		if (data[i] != '\\')
			continue;
		i++;
		if (data[i] >= '1' && data[i] <= '9')
			return false;
	}
	return true;
}

bool
dp_guard_regexp_replace(FunctionCallInfo call)
{
	Size replaced;
	const text *replacement;

	if (!dp_guard_regexp(call) || text_length(call, 2) > LONGEST_REGEXP)
		return false;
	replaced = text_length(call, 0);
	replacement = DatumGetTextPP(call->args[2].value);

	/* The replacement may come after each character, and repeat the match. */
	return (replaced + 1) * VARSIZE_ANY_EXHDR(replacement) +
			   replaced * (Size) (count_bytes(replacement, '\\') + 1) <=
		   DP_GUARD_RESULT;
}

bool
dp_guard_replace(FunctionCallInfo call)
{
	Size replaced = text_length(call, 0);
	Size from = text_length(call, 1);
	Size to = text_length(call, 2);

	if (!dp_guard_search(call))
		return false;
	return from == 0 || to <= from ||
		   replaced + replaced / from * (to - from) <= DP_GUARD_RESULT;
}

bool
dp_guard_pad(FunctionCallInfo call)
{
	return DatumGetInt32(call->args[1].value) <= LONGEST_PADDED;
}

bool
dp_guard_repeat(FunctionCallInfo call)
{
	int32 count = DatumGetInt32(call->args[1].value);

	return count <= 0 ||
		   (count <= LONGEST_PADDED &&
			text_length(call, 0) * (Size) count <= DP_GUARD_RESULT);
}

/* An argument as a double; numbers beyond its range become infinite. */
static double
number(FunctionCallInfo call, int argument)
{
	return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow,
											  call->args[argument].value));
}

static bool
is_ordinary(double value)
{
	return value >= -1e100 && value <= 1e100;
}

bool
dp_guard_sqrt(FunctionCallInfo call)
{
	return !isinf(number(call, 0));
}

bool
dp_guard_power(FunctionCallInfo call)
{
	double exponent = number(call, 1);

	return is_ordinary(number(call, 0)) && exponent >= -50 && exponent <= 50 &&
		   dp_guard_size(call->args[0].value) <= 64 &&
		   dp_guard_size(call->args[1].value) <= 64;
}

bool
dp_guard_exp(FunctionCallInfo call)
{
	double value = number(call, 0);

	return value >= -700 && value <= 700 &&
		   dp_guard_size(call->args[0].value) <= 64;
}

/* True where a format holds a letter, in either case. */
static bool
has_letter(const text *format, const char *letters)
{
	for (; *letters != '\0'; letters++)
	{
		if (count_bytes(format, *letters) > 0 ||
			count_bytes(format, (char) pg_tolower((unsigned char) *letters)) >
				0)
			return true;
	}
	return false;
}

bool
dp_guard_date_format(FunctionCallInfo call)
{
	const text *format;
	const char *data;
	int i;

	if (text_length(call, 1) > LONGEST_FORMAT)
		return false;
	format = DatumGetTextPP(call->args[1].value);
	data = VARDATA_ANY(format);
	for (i = 0; i + 1 < (int) VARSIZE_ANY_EXHDR(format); i++)
	{
		/* names of months and days in the server's language */
		if (pg_toupper((unsigned char) data[i]) == 'T' &&
			pg_toupper((unsigned char) data[i + 1]) == 'M')
			return false;
	}
	return true;
}

/*
 * The name of a time zone: one that is not a field of a date is looked up in
 * files.
 */
bool
dp_guard_input_format(FunctionCallInfo call)
{
	const text *format;
	const char *data;
	int i;

	if (!dp_guard_date_format(call))
		return false;
	format = DatumGetTextPP(call->args[1].value);
	data = VARDATA_ANY(format);
	for (i = 0; i + 1 < (int) VARSIZE_ANY_EXHDR(format); i++)
	{
		if (pg_toupper((unsigned char) data[i]) == 'T' &&
			pg_toupper((unsigned char) data[i + 1]) == 'Z')
			return false;
	}
	return true;
}

bool
dp_guard_number_format(FunctionCallInfo call)
{
	return text_length(call, 1) <= LONGEST_REGEXP_TEXT &&
		   text_length(call, 1) <= LONGEST_FORMAT &&
		   !has_letter(DatumGetTextPP(call->args[1].value), "DGLV");
}

bool
dp_guard_encoding(FunctionCallInfo call)
{
	static const char *const encodings[] = {"hex", "base64", "escape"};
	char *name;
	size_t i;

	if (text_length(call, 1) > LONGEST_ZONE)
		return false;
	name = text_to_cstring(DatumGetTextPP(call->args[1].value));
	for (i = 0; i < lengthof(encodings); i++)
	{
		if (pg_strcasecmp(name, encodings[i]) == 0)
			return true;
	}
	return false;
}

bool
dp_guard_join(FunctionCallInfo call)
{
	ArrayType *array;
	Size count;
	Size between = 0;
	int i;

	for (i = 0; i < call->nargs; i++)
	{
		if (i > 0 && !call->args[i].isnull)
			between += text_length(call, i);
	}
	if (call->args[0].isnull)
		return true;
	array = DatumGetArrayTypeP(call->args[0].value);
	count = (Size) ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));

	/* A short numeric can be a long text. */
	if (ARR_ELEMTYPE(array) == NUMERICOID && count > MOST_NUMBERS)
		return false;
	return count * between <= DP_GUARD_RESULT;
}

bool
dp_guard_range(FunctionCallInfo call)
{
	const text *flags;
	const char *data;

	if (call->args[2].isnull)
		return true;
	if (text_length(call, 2) != 2)
		return false;
	flags = DatumGetTextPP(call->args[2].value);
	data = VARDATA_ANY(flags);
	return (data[0] == '[' || data[0] == '(') &&
		   (data[1] == ']' || data[1] == ')');
}

bool
dp_guard_split(FunctionCallInfo call)
{
	Size length = call->args[0].isnull ? 0 : text_length(call, 0);
	Size separator = call->args[1].isnull ? 0 : text_length(call, 1);

	return length <= LONGEST_SPLIT && length * separator <= MOST_STEPS;
}

/* How deep arrays and objects are nested in a json text, or more. */
static int
json_depth(const text *json)
{
	const char *data = VARDATA_ANY(json);
	bool is_string = false;
	int depth = 0;
	int deepest = 0;
	int i;

	for (i = 0; i < (int) VARSIZE_ANY_EXHDR(json); i++)
	{
		if (is_string && data[i] == '\\')
			i++;
		else if (data[i] == '"')
			is_string = !is_string;
		else if (!is_string && (data[i] == '[' || data[i] == '{'))
		{
			depth++;
			deepest = Max(deepest, depth);
		}
		else if (!is_string && (data[i] == ']' || data[i] == '}'))
			depth--;
	}
	return deepest;
}

bool
dp_guard_json(FunctionCallInfo call)
{
	return json_depth(DatumGetTextPP(call->args[0].value)) <= DEEPEST_JSON;
}

/* Nesting takes at least eight bytes a level. */
static bool
is_shallow(FunctionCallInfo call, int argument)
{
	return dp_guard_size(call->args[argument].value) <= LONGEST_CONTAINED;
}

bool
dp_guard_contains(FunctionCallInfo call)
{
	return is_shallow(call, 1);
}

bool
dp_guard_contained(FunctionCallInfo call)
{
	return is_shallow(call, 0);
}

/*
 * Digits and punctuation, T before a time, Z at the end. Other words can be
 * names of time zones.
 */
bool
dp_guard_date(FunctionCallInfo call)
{
	const text *value;
	const char *data;
	int length;
	int i;

	if (text_length(call, 0) > LONGEST_DATE)
		return false;
	value = DatumGetTextPP(call->args[0].value);
	data = VARDATA_ANY(value);
	length = (int) VARSIZE_ANY_EXHDR(value);
	for (i = 0; i < length; i++)
	{
		if (strchr("0123456789 :.,+-", data[i]) != NULL && data[i] != '\0')
			continue;
		if (i == 0 || !isdigit((unsigned char) data[i - 1]))
			return false;
		if (data[i] == 'T' && i + 1 < length &&
			isdigit((unsigned char) data[i + 1]))
			continue;
		if (data[i] != 'Z' || i + 1 < length)
			return false;
	}
	return true;
}

bool
dp_guard_zone(FunctionCallInfo call)
{
	return text_length(call, 0) <= LONGEST_ZONE;
}
