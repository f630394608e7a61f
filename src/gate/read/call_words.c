/*
 * call_words.c
 *		What a call is called in messages.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"

#include "gate/read/call_words.h"

const char *
dp_call_words(Node *node)
{
	static const char *const words[][2] = {
		{"~~", "LIKE"},		   {"!~~", "NOT LIKE"},		{"~~*", "ILIKE"},
		{"!~~*", "NOT ILIKE"}, {"~", "operator ~"},		{"!~", "operator !~"},
		{"~*", "operator ~*"}, {"!~*", "operator !~*"}, {"||", "operator ||"},
		{"^@", "operator ^@"}, {"->", "operator ->"},	{"->>", "operator ->>"},
		{"#>", "operator #>"}, {"#>>", "operator #>>"}};
	size_t i;

	if (IsA(node, OpExpr) || IsA(node, ScalarArrayOpExpr))
	{
		Oid operator= IsA(node, OpExpr) ? ((OpExpr *) node)->opno
										: ((ScalarArrayOpExpr *) node)->opno;
		const char *name = get_opname(operator);

		for (i = 0; name != NULL && i < lengthof(words); i++)
		{
			if (strcmp(words[i][0], name) == 0)
				return words[i][1];
		}
		return psprintf("operator %s", format_operator(operator));
	}
	if (IsA(node, FuncExpr))
	{
		FuncExpr *function = (FuncExpr *) node;

		if (function->funcformat == COERCE_EXPLICIT_CALL ||
			function->funcformat == COERCE_SQL_SYNTAX || function->args == NIL)
			return psprintf("function %s", format_procedure(function->funcid));
		return psprintf("a cast from %s to %s",
						format_type_be(exprType(linitial(function->args))),
						format_type_be(exprType(node)));
	}
	if (IsA(node, CoerceViaIO))
		return psprintf(
			"a cast from %s to %s",
			format_type_be(exprType((Node *) ((CoerceViaIO *) node)->arg)),
			format_type_be(exprType(node)));
	return "this expression";
}
