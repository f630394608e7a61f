/*
 * stubs.c
 *		Stand-ins for parts that are not there yet: weak, so that each gives way
 *		to the function itself. To be removed with the last of them.
 */
#include "postgres.h"

#include "gate/read/publics.h"
#include "gate/read/rows.h"

#define STUB __attribute__((weak))

static void
missing(const char *function)
{
	elog(ERROR, "not yet: %s", function);
}

STUB bool
dp_publics_is_public(const RangeTblEntry *rte)
{
	(void) rte;
	missing("dp_publics_is_public");
	return false;
}

STUB bool
dp_publics_query_is_public(Query *query)
{
	(void) query;
	missing("dp_publics_query_is_public");
	return false;
}

STUB const DpNode *
dp_publics_read(DpScope *scope, int rtindex, List **conditions)
{
	(void) scope;
	(void) rtindex;
	(void) conditions;
	missing("dp_publics_read");
	return NULL;
}

STUB const DpNode *
dp_publics_read_query(DpScope *scope, Query *query)
{
	(void) scope;
	(void) query;
	missing("dp_publics_read_query");
	return NULL;
}

STUB const DpNode *
dp_rows_read_from(DpScope *scope)
{
	(void) scope;
	missing("dp_rows_read_from");
	return NULL;
}

STUB const DpNode *
dp_rows_read_query(DpPlanning *planning, DpScope *around, Query *query,
				   const char *what, int location)
{
	(void) planning;
	(void) around;
	(void) query;
	(void) what;
	(void) location;
	missing("dp_rows_read_query");
	return NULL;
}

STUB const DpExpr *
dp_rows_read_sublink(DpScope *scope, SubLink *link)
{
	(void) scope;
	(void) link;
	missing("dp_rows_read_sublink");
	return NULL;
}
