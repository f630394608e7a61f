/*
 * release_call.c
 *		The function from which a block reads its released rows.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_func.h"

#include "gate/question/relations/release_call.h"

Oid
dp_gate_release_function(void)
{
	Oid types[1] = {INT8OID};

	return LookupFuncName(
		list_make2(makeString("dp_noise"), makeString("release")), 1, types,
		false);
}

RangeTblEntry *
dp_gate_make_release(List *columns, int64 number)
{
	RangeTblEntry *rte = makeNode(RangeTblEntry);
	RangeTblFunction *function = makeNode(RangeTblFunction);
	Const *argument = makeConst(INT8OID, -1, InvalidOid, 8,
								Int64GetDatum(number), false, true);
	ListCell *cell;
	int place = 0;

	function->funcexpr = (Node *) makeFuncExpr(
		dp_gate_release_function(), RECORDOID, list_make1(argument), InvalidOid,
		InvalidOid, COERCE_EXPLICIT_CALL);
	((FuncExpr *) function->funcexpr)->funcretset = true;
	rte->rtekind = RTE_FUNCTION;
	rte->eref = makeAlias("dp_release", NIL);
	foreach (cell, columns)
	{
		Node *column = lfirst(cell);
		char *name = psprintf("c%d", ++place);

		rte->eref->colnames = lappend(rte->eref->colnames, makeString(name));
		function->funccolnames =
			lappend(function->funccolnames, makeString(name));
		function->funccoltypes =
			lappend_oid(function->funccoltypes, exprType(column));
		function->funccoltypmods =
			lappend_int(function->funccoltypmods, exprTypmod(column));
		function->funccolcollations =
			lappend_oid(function->funccolcollations, exprCollation(column));
	}
	function->funccolcount = place;
	rte->functions = list_make1(function);
	rte->inFromCl = true;
	return rte;
}
