/*
 * sizes.c
 *		How many rows units have, for a cap that is chosen with an answer.
 *
 *		SELECT count(*) FILTER (WHERE 1 < n), count(*) FILTER (WHERE 2 < n), ...
 *		FROM (SELECT unit, max(n) AS n FROM (SELECT unit, key, count(*) AS n ...
 *											 GROUP BY unit, key) GROUP BY unit)
 *
 * Without keys the innermost one has the units themselves.
 */
#include "postgres.h"

#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"

#include "gate/bound/sizes.h"
#include "gate/bound/units.h"
#include "mechanisms/chosen_cap.h"
#include "server/queries.h"

/* The greatest of a column's numbers. */
static Node *
greatest_of(Var *number)
{
	Aggref *result = dp_query_count_rows();

	result->aggfnoid = F_MAX_INT8;
	result->aggstar = false;
	result->aggargtypes = list_make1_oid(INT8OID);
	result->args = list_make1(makeTargetEntry((Expr *) number, 1, NULL, false));
	return (Node *) result;
}

/* Each unit once, with the rows of its largest group. */
static Query *
make_largest(Query *groups, int unit_columns, const TargetEntry *rows)
{
	Query *units = dp_query_over(groups, "dp_groups");
	int i;

	for (i = 0; i < unit_columns; i++)
	{
		TargetEntry *unit = dp_query_add_target(
			units, (Node *) dp_query_column(list_nth(groups->targetList, i)),
			NULL);

		units->groupClause =
			lappend(units->groupClause, dp_query_clause(unit, false));
	}
	(void) dp_query_add_target(units, greatest_of(dp_query_column(rows)), NULL);
	units->hasAggs = true;
	return units;
}

/* count(*) FILTER (WHERE candidate < rows) */
static Node *
count_exceeding(uint32 candidate, const TargetEntry *rows)
{
	Aggref *result = dp_query_count_rows();
	Const *constant =
		makeConst(INT8OID, -1, InvalidOid, sizeof(int64),
				  Int64GetDatum((int64) candidate), false, FLOAT8PASSBYVAL);

	result->aggfilter =
		make_opclause(Int8LessOperator, BOOLOID, false, (Expr *) constant,
					  (Expr *) dp_query_column(rows), InvalidOid, InvalidOid);
	set_opfuncid((OpExpr *) result->aggfilter);
	return (Node *) result;
}

Query *
dp_sizes_count(Query *rows, const DpRelations *relations, uint32 most)
{
	bool has_keys = rows->groupClause != NIL;
	Query *units = dp_units_group(rows, relations);
	const TargetEntry *largest;
	Query *result;
	uint32 i;

	largest = dp_query_add_target(units, (Node *) dp_query_count_rows(), "n");
	units->hasAggs = true;
	if (has_keys)
	{
		units = make_largest(units, list_length(relations->unit), largest);
		largest = llast(units->targetList);
	}
	result = dp_query_over(units, "dp_units");
	for (i = 0; i < dp_chosen_cap_candidates(most); i++)
		(void) dp_query_add_target(
			result, count_exceeding(dp_chosen_cap_candidate(i), largest), NULL);
	result->hasAggs = true;
	return result;
}
