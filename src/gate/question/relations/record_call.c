/*
 * record_call.c
 *		Functions in FROM that return records.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"

#include "gate/question/relations/record_call.h"

RangeTblEntry *
dp_gate_make_record_call(Oid function, Expr *argument, const char *alias,
						 List *columns)
{
	RangeTblEntry *rte = makeNode(RangeTblEntry);
	RangeTblFunction *from = makeNode(RangeTblFunction);
	FuncExpr *call = makeFuncExpr(function, RECORDOID, list_make1(argument),
								  InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	ListCell *cell;

	call->funcretset = true;
	from->funcexpr = (Node *) call;
	from->funccolcount = list_length(columns);
	foreach (cell, columns)
	{
		Node *column = lfirst(cell);
		char *name = psprintf("c%d", foreach_current_index(cell) + 1);

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
