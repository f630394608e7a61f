/*
 * stubs.c
 *		Stand-ins for parts that are not there yet: weak, so that each gives way
 *		to the function itself. To be removed with the last of them.
 */
#include "postgres.h"

#include "gate/facts/text.h"

#define STUB __attribute__((weak))

static pg_attribute_unused() void
missing(const char *function)
{
	elog(ERROR, "not yet: %s", function);
}

STUB DpText *
dp_text_of(const DpNode *node)
{
	(void) node;
	return NULL;
}

STUB DpText *
dp_text_of_expr(const DpNode *node, const DpExpr *expr)
{
	(void) node;
	(void) expr;
	return NULL;
}

STUB char *
dp_text_write(const DpText *form, DpTextFill fill, void *context)
{
	(void) form;
	(void) fill;
	(void) context;
	return NULL;
}
