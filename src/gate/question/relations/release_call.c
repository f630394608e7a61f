/*
 * release_call.c
 *		The function from which a block reads its released rows.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "parser/parse_func.h"

#include "gate/question/relations/record_call.h"
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
	Const *argument = makeConst(INT8OID, -1, InvalidOid, 8,
								Int64GetDatum(number), false, true);

	return dp_gate_make_record_call(dp_gate_release_function(),
									(Expr *) argument, "dp_release", columns);
}
