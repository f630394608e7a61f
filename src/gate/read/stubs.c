/*
 * stubs.c
 *		Stand-ins for parts that are not there yet: weak, so that each gives way
 *		to the function itself. To be removed with the last of them.
 */
#include "postgres.h"

#include "gate/facts/text.h"
#include "gate/read/publics.h"
#include "gate/read/rows.h"

#define STUB __attribute__((weak))

static void
missing(const char *function)
{
	elog(ERROR, "not yet: %s", function);
}

STUB DpText *
dp_text_of(const DpNode *node)
{
	(void) node;
	missing("dp_text_of");
	return NULL;
}

STUB DpText *
dp_text_of_expr(const DpNode *node, const DpExpr *expr)
{
	(void) node;
	(void) expr;
	missing("dp_text_of_expr");
	return NULL;
}

STUB char *
dp_text_write(const DpText *form, DpTextFill fill, void *context)
{
	(void) form;
	(void) fill;
	(void) context;
	missing("dp_text_write");
	return NULL;
}

