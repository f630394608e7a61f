/*
 * written_calls.c
 *		Functions of any number of arguments, and lists, written out.
 *
 * concat(), format() and the like take values of all types, and print each
 * with its type's output function, which they look up when they run. Over
 * protected rows such a call is replaced by what it means: its arguments cast
 * to text, one by one, and concatenated. So each cast must be in the list
 * (expressions/wrapped_list.c), or the call is refused. If a cast fails for a
 * row, the result is null, never a text with a part left out.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "gate/tree/functions.h"
#include "gate/question/expressions/list_elements.h"
#include "gate/question/expressions/written_calls.h"

/* Nodes of what is written out: calls within calls double it each time. */
#define NODES_MAX 20000

/*
 * And of lists, which may be long, with what is compared to each of its
 * values.
 */
#define LIST_NODES_MAX 300000

/* How many nodes there are when all calls, or lists, are written out. */
typedef struct WrittenSize
{
	bool with_lists;
	double nodes;
} WrittenSize;

static void
check_size(double nodes)
{
	if (nodes > NODES_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("an expression over a protected relation is too long"),
				 errdetail("Calls of concat and the like, and comparisons of "
						   "rows, are expanded, here into more than %d parts.",
						   NODES_MAX),
				 errhint("Nest them less deeply: write a || b, for example.")));
}

static bool
is_written(const Node *node)
{
	const FuncExpr *call = (const FuncExpr *) node;

	if (!IsA(node, FuncExpr) || call->funcvariadic)
		return false;
	switch (call->funcid)
	{
		case F_CONCAT:
		case F_CONCAT_WS:
		case F_FORMAT_TEXT:
		case F_FORMAT_TEXT_ANY:
		case F_NUM_NULLS:
		case F_NUM_NONNULLS:
			return true;
		default:
			return false;
	}
}

/* How often an argument stands in the written form, at most. */
static double
copies_of(const FuncExpr *call, int argno)
{
	const Const *format = linitial(call->args);
	double copies = 0;
	const char *at;

	switch (call->funcid)
	{
		case F_NUM_NULLS:
		case F_NUM_NONNULLS:
			return 1;
		case F_CONCAT_WS:
			return argno == 0 ? list_length(call->args) : 2;
		case F_CONCAT:
			return 2;
		default:
			break;
	}
	if (argno == 0 || !IsA(format, Const) || format->constisnull ||
		format->consttype != TEXTOID)
		return 1;
	for (at = TextDatumGetCString(format->constvalue); *at != '\0'; at++)
		copies += *at == '%' ? 2 : 0;
	return copies;
}

static double written_size(Node *node, bool with_lists);

/* A column costs no more than the value that it is compared to. */
static double
size_of_list(const ScalarArrayOpExpr *expr)
{
	Node *left = linitial(expr->args);
	Node *array = lsecond(expr->args);
	List *elements;
	double copies = 1;

	if (!IsA(left, Var) && dp_gate_list_elements(array, &elements))
		copies = Max(list_length(elements), 1);
	return copies * written_size(left, true) + written_size(array, true);
}

static bool
size_walker(Node *node, WrittenSize *size)
{
	ListCell *cell;

	if (node == NULL)
		return false;
	size->nodes += 1;
	if (size->with_lists && IsA(node, ScalarArrayOpExpr))
	{
		size->nodes += size_of_list((ScalarArrayOpExpr *) node);
		return false;
	}
	if (!is_written(node))
		return expression_tree_walker(node, size_walker, size);
	foreach (cell, ((FuncExpr *) node)->args)
		size->nodes +=
			written_size(lfirst(cell), size->with_lists) *
			copies_of((FuncExpr *) node, foreach_current_index(cell));
	return false;
}

static double
written_size(Node *node, bool with_lists)
{
	WrittenSize size = {with_lists, 0};

	(void) size_walker(node, &size);
	return size.nodes;
}

void
dp_gate_check_repeats(const ScalarArrayOpExpr *expr)
{
	if (size_of_list(expr) > LIST_NODES_MAX)
		ereport(
			ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("an expression over a protected relation is too long"),
			 errdetail("The expression before IN (...), ANY or ALL is repeated "
					   "for each value, which makes more than %d parts.",
					   LIST_NODES_MAX),
			 errhint("Nest such comparisons less deeply, or write fewer "
					 "values.")));
}

/* x op value */
static Node *
element_call(const ScalarArrayOpExpr *expr, Node *value)
{
	OpExpr *call = makeNode(OpExpr);

	call->opno = expr->opno;
	call->opfuncid = expr->opfuncid;
	call->opresulttype = BOOLOID;
	call->inputcollid = expr->inputcollid;
	call->args = list_make2(linitial(expr->args), value);
	call->location = expr->location;
	return (Node *) call;
}

List *
dp_gate_element_calls(const ScalarArrayOpExpr *expr)
{
	List *elements;
	List *calls = NIL;
	ListCell *cell;

	if (dp_functions_is_total(expr->opfuncid) ||
		!dp_gate_list_elements(lsecond(expr->args), &elements))
		return NIL;
	dp_gate_check_repeats(expr);
	foreach (cell, elements)
		calls = lappend(calls, element_call(expr, lfirst(cell)));
	return calls;
}

static Node *
text_constant(const char *value, int length)
{
	return (Node *) makeConst(
		TEXTOID, -1, C_COLLATION_OID, -1,
		PointerGetDatum(cstring_to_text_with_len(value, length)), false, false);
}

static Node *
number_constant(int32 value)
{
	return (Node *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
							  Int32GetDatum(value), false, true);
}

static Node *
function_call(Oid function, Oid type, List *args)
{
	return (Node *) makeFuncExpr(function, type, args,
								 type == TEXTOID ? C_COLLATION_OID : InvalidOid,
								 C_COLLATION_OID, COERCE_EXPLICIT_CALL);
}

/* a || b */
static Node *
joined(Node *left, Node *right)
{
	return left == NULL
			   ? right
			   : function_call(F_TEXTCAT, TEXTOID, list_make2(left, right));
}

/* CASE WHEN condition THEN result ELSE otherwise END */
static Node *
choice(Node *condition, Node *result, Node *otherwise)
{
	CaseExpr *expr = makeNode(CaseExpr);
	CaseWhen *when = makeNode(CaseWhen);

	when->expr = (Expr *) condition;
	when->result = (Expr *) result;
	when->location = -1;
	expr->casetype = exprType(result);
	expr->casecollid = exprCollation(result);
	expr->args = list_make1(when);
	expr->defresult = (Expr *) otherwise;
	expr->location = -1;
	return (Node *) expr;
}

static Node *
is_null(Node *value)
{
	NullTest *test = makeNode(NullTest);

	test->arg = copyObject((Expr *) value);
	test->nulltesttype = IS_NULL;
	test->location = -1;
	return (Node *) test;
}

/* A value as its output function prints it. */
static Node *
text_of(Node *value)
{
	Oid type = getBaseType(exprType(value));
	CoerceViaIO *cast;

	if (type == TEXTOID || type == VARCHAROID || type == BPCHAROID)
		return (Node *) makeRelabelType((Expr *) copyObject(value), TEXTOID, -1,
										C_COLLATION_OID, COERCE_EXPLICIT_CAST);
	if (type == BOOLOID)
		return choice((Node *) copyObject(value), text_constant("t", 1),
					  text_constant("f", 1));
	cast = makeNode(CoerceViaIO);
	cast->arg = copyObject((Expr *) value);
	cast->resulttype = TEXTOID;
	cast->resultcollid = C_COLLATION_OID;
	cast->coerceformat = COERCE_EXPLICIT_CAST;
	cast->location = exprLocation(value);
	return (Node *) cast;
}

/* The same, with an empty text for null. */
static Node *
piece_of(Node *value)
{
	return choice(is_null(value), text_constant("", 0), text_of(value));
}

static Node *
written_concat(List *values)
{
	Node *result = NULL;
	ListCell *cell;

	foreach (cell, values)
		result = joined(result, piece_of(lfirst(cell)));
	return result;
}

/* The values joined by a separator; nulls are left out. */
static Node *
written_concat_ws(List *args)
{
	Node *separator = linitial(args);
	Node *result = text_constant("", 0);
	ListCell *cell;

	for_each_from (cell, args, 1)
		result = joined(
			result, choice(is_null(lfirst(cell)), text_constant("", 0),
						   joined(text_of(separator), text_of(lfirst(cell)))));
	return function_call(
		F_SUBSTR_TEXT_INT4, TEXTOID,
		list_make2(result,
				   function_call(
					   F_INT4PL, INT4OID,
					   list_make2(function_call(F_LENGTH_TEXT, INT4OID,
												list_make1(text_of(separator))),
								  number_constant(1)))));
}

/* A call that counts how many values are null, or not null. */
static Node *
written_count(List *values, bool of_nulls)
{
	Node *result = NULL;
	ListCell *cell;

	foreach (cell, values)
	{
		Node *one =
			choice(is_null(lfirst(cell)), number_constant(of_nulls ? 1 : 0),
				   number_constant(of_nulls ? 0 : 1));

		result = result == NULL ? one
								: function_call(F_INT4PL, INT4OID,
												list_make2(result, one));
	}
	return result;
}

/*
 * The next argument that a format names after its %: the one after the last,
 * or that of a number, as in %2$s. NULL for all but %s, or if there is none.
 */
static Node *
next_argument(List *values, const char **format, int *argno)
{
	const char *at = *format;
	int number = 0;

	while (*at >= '0' && *at <= '9' && number < FUNC_MAX_ARGS)
		number = number * 10 + *at++ - '0';
	if (at == *format)
		number = *argno + 1;
	else if (*at++ != '$')
		return NULL;
	if (*at != 's' || number < 1 || number > list_length(values))
		return NULL;
	*format = at + 1;
	*argno = number;
	return list_nth(values, number - 1);
}

static Node *
written_format(List *args)
{
	Const *constant = linitial(args);
	Node *result = text_constant("", 0);
	const char *format;
	int argno = 0;

	if (!IsA(constant, Const) || constant->constisnull ||
		constant->consttype != TEXTOID)
		return NULL;
	format = TextDatumGetCString(constant->constvalue);
	while (*format != '\0')
	{
		size_t plain = strcspn(format, "%");
		Node *value;

		if (plain > 0)
			result = joined(result, text_constant(format, (int) plain));
		format += plain;
		if (*format == '\0')
			break;
		format++;
		if (*format == '%')
		{
			result = joined(result, text_constant("%", 1));
			format++;
			continue;
		}
		value = next_argument(list_copy_tail(args, 1), &format, &argno);
		if (value == NULL)
			return NULL;
		result = joined(result, piece_of(value));
	}
	return result;
}

Node *
dp_gate_written_form(const Node *node)
{
	const FuncExpr *call = (const FuncExpr *) node;
	Node *result;

	if (!is_written(node))
		return NULL;
	check_size(written_size((Node *) node, false));
	switch (call->funcid)
	{
		case F_CONCAT:
			result = written_concat(call->args);
			break;
		case F_CONCAT_WS:
			result = written_concat_ws(call->args);
			break;
		case F_FORMAT_TEXT:
		case F_FORMAT_TEXT_ANY:
			result = written_format(call->args);
			break;
		case F_NUM_NULLS:
		case F_NUM_NONNULLS:
			return written_count(call->args, call->funcid == F_NUM_NULLS);
		default:
			return NULL;
	}
	if (result == NULL)
		return NULL;
	return (Node *) makeRelabelType((Expr *) result, TEXTOID, -1,
									call->funccollid, COERCE_EXPLICIT_CAST);
}

