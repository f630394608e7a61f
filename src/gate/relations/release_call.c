/*
 * release_call.c
 *		Functions in FROM that return records; that of released rows.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_func.h"

#include "gate/relations/release_call.h"
#include "server/lists.h"

Oid
dp_release_call_function(void)
{
	Oid types[1] = {INT8OID};

	return LookupFuncName(
		list_make2(makeString("dp_noise"), makeString("release")), 1, types,
		false);
}

RangeTblEntry *
dp_release_call_make_record(Oid function, Expr *argument, const char *alias,
							List *columns)
{
	RangeTblEntry *rte = makeNode(RangeTblEntry);
	RangeTblFunction *from = makeNode(RangeTblFunction);
	FuncExpr *call = makeFuncExpr(function, RECORDOID, list_make1(argument),
								  InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);

	call->funcretset = true;
	from->funcexpr = (Node *) call;
	from->funccolcount = list_length(columns);
	foreach_ptr (Node, column, columns)
	{
		char *name = psprintf("c%d", foreach_current_index(column) + 1);

		from->funccolnames = lappend(from->funccolnames, makeString(name));
		from->funccoltypes = lappend_oid(from->funccoltypes, exprType(column));
		from->funccoltypmods =
			lappend_int(from->funccoltypmods, exprTypmod(column));
		from->funccolcollations =
			lappend_oid(from->funccolcollations, exprCollation(column));
	}
	rte->rtekind = RTE_FUNCTION;
	rte->functions = list_make1(from);
	rte->eref = makeAlias(alias, copyObject(from->funccolnames));
	rte->inFromCl = true;
	return rte;
}

RangeTblEntry *
dp_release_call_make(List *columns, int64 number)
{
	Const *argument = makeConst(INT8OID, -1, InvalidOid, 8,
								Int64GetDatum(number), false, true);

	return dp_release_call_make_record(
		dp_release_call_function(), (Expr *) argument, "dp_release", columns);
}
