/*
 * node_units.c
 *		Units bounded on nodes, where these have all rows of each.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"

#include "gate/bound/unit_aggregates.h"
#include "gate/relations/private_aggregates.h"
#include "gate/run/nodes/node_asked.h"
#include "gate/run/nodes/node_parts.h"
#include "gate/run/nodes/points.h"
#include "gate/run/nodes/pure.h"
#include "gate/run/nodes/node_units.h"
#include "mechanisms/unit.h"
#include "server/citus.h"
#include "server/compat.h"
#include "server/queries.h"

/* What units contribute less of is narrow: whatever they add up to fits in bigint. */
#define CONTRIBUTION_MAX (INT64CONST(1) << 55)

/* One aggregate over units, and what it is of each. */
typedef struct Call
{
	const DpAggregateTraits *traits;
	Aggref *of_units;
	Aggref *partial;
	DpContribution contribution;
	DpNodePoints points;
} Call;

/* What is being asked: units, and sums over them. */
typedef struct Asking
{
	DpNodeAsked *units;
	DpNodeAsked *sums;
} Asking;

/* The only column that is grouped by, if the relation is distributed by it. */
static bool
is_distributed_by_unit(const Query *reader)
{
	const Var *unit;

	if (list_length(reader->groupClause) != 1)
		return false;
	unit = (Var *) get_sortgroupclause_expr(linitial(reader->groupClause),
											reader->targetList);
	return IsA(unit, Var) && unit->varlevelsup == 0 &&
		   dp_nodes_is_key((Node *) unit) &&
		   unit->varattno ==
			   dp_citus_distribution_column(
				   linitial_node(RangeTblEntry, reader->rtable)->relid);
}

/* Whether a statement aggregates units, all of which are in its one group. */
static bool
is_ungrouped(const Query *statement, const Query *reader)
{
	const RangeTblEntry *rte = linitial(statement->rtable);

	return list_length(statement->rtable) == 1 &&
		   rte->rtekind == RTE_SUBQUERY && rte->subquery == reader &&
		   statement->groupClause == NIL && statement->havingQual == NULL &&
		   !statement->hasSubLinks;
}

static bool
is_pure(const Query *reader)
{
	ListCell *cell;

	foreach (cell, dp_nodes_conjuncts(reader->jointree->quals))
	{
		if (!dp_nodes_is_pure(lfirst(cell)))
			return false;
	}
	return reader->havingQual == NULL;
}

/* The partial result that an aggregate over units takes. */
static Aggref *
partial_of(const Aggref *of_units, const Query *reader)
{
	const Var *column = (Var *) dp_node_points_argument(
		of_units, list_length(of_units->args) - 1);

	return IsA(column, Var)
			   ? (Aggref *) list_nth_node(TargetEntry, reader->targetList,
										  column->varattno - 1)
					 ->expr
			   : NULL;
}

/* How many rows of a unit count, by the aggregate's own argument. */
static bool
read_rows(Call *call, DpContribution contribution)
{
	int argno = list_length(call->of_units->args) - 5;
	const Const *rows =
		(Const *) dp_node_points_argument(call->of_units, argno);

	if (!IsA(rows, Const) || rows->constisnull)
		return false;
	call->contribution = contribution;
	call->contribution.rows = (uint32) DatumGetInt32(rows->constvalue);
	return true;
}

static bool
read_call(Aggref *of_units, const Query *reader, DpContribution contribution,
		  Call *call)
{
	Aggref *partial;

	if (!IsA(of_units, Aggref) || of_units->aggstar ||
		of_units->aggfilter != NULL)
		return false;
	partial = partial_of(of_units, reader);
	*call = (Call){.traits = dp_private_aggregates_of_form(of_units->aggfnoid,
														   DP_FORM_OF_UNITS),
				   .of_units = of_units,
				   .partial = partial};
	return call->traits != NULL && call->traits->of_parts != NULL &&
		   partial != NULL && IsA(partial, Aggref) &&
		   dp_parts_is_plain(partial) && read_rows(call, contribution) &&
		   (!call->traits->takes_bounds ||
			(dp_node_points_of(call->traits, partial, &call->points) &&
			 call->points.whole == &dp_whole_narrow));
}

/*
 * Contributions
 */

static Node *
less(Node *one, Node *other)
{
	return dp_whole_call(F_INT8LT, BOOLOID, list_make2(one, other));
}

static Node *
wide(int64 value)
{
	return dp_whole_number(&dp_whole_wide, value);
}

static Node *
copy(const Node *node)
{
	return (Node *) copyObject(node);
}

/* The rows that count: dp_unit_count, of as many as there can be in a sum. */
static Node *
rows_of(Node *count, const Call *call)
{
	return dp_whole_case(
		list_make1(less(wide(call->contribution.rows), copy(count))),
		list_make1(wide(call->contribution.rows)), copy(count));
}

/* dp_unit_sum_of */
static Node *
sum_of(Node *sum, const Call *call)
{
	DpUnitSum unit;

	dp_unit_sum_init(&unit, &call->points.grid, call->contribution);
	if (unit.shift > 0 || unit.lower < -CONTRIBUTION_MAX ||
		unit.upper > CONTRIBUTION_MAX)
		return NULL;
	return dp_whole_between(&dp_whole_wide, sum, (int64) unit.lower,
							(int64) unit.upper);
}

/*
 * dp_unit_mean_of: its sum in steps of the answer, which is exact where all rows count,
 * and rounded down where some do not.
 */
static Node *
mean_of(Node *sum, Node *count, const Call *call)
{
	int64 rows = call->contribution.rows;
	DpUnitMean unit;
	Node *scaled;
	Node *rounded;

	if (dp_unit_mean_init(&unit, &call->points.grid, call->contribution) !=
			DP_OK ||
		unit.steps < unit.span || unit.shift > 40)
		return NULL;
	scaled = dp_whole_call(
		F_NUMERIC_MUL, NUMERICOID,
		list_make2(
			dp_whole_call(F_NUMERIC_INT8, NUMERICOID, list_make1(copy(sum))),
			dp_whole_call(F_NUMERIC_INT8, NUMERICOID,
						  list_make1(wide(rows << unit.shift)))));
	rounded = dp_whole_call(
		F_INT8_NUMERIC, INT8OID,
		list_make1(dp_whole_call(
			F_NUMERIC_DIV_TRUNC, NUMERICOID,
			list_make2(scaled, dp_whole_call(F_NUMERIC_INT8, NUMERICOID,
											 list_make1(copy(count)))))));
	return dp_whole_case(
		list_make1(less(wide(rows), copy(count))), list_make1(rounded),
		dp_whole_call(F_INT8SHL, INT8OID,
					  list_make2(copy(sum), dp_whole_number(&dp_whole_narrow,
															unit.shift))));
}

/*
 * The whole
 */

/* An aggregate over sums that nodes have made; NULL where they cannot. */
static Aggref *
aggregate_of(const Call *call, const Asking *asking)
{
	DpAggregate aggregate = call->traits->aggregate;
	Node *filter = (Node *) call->partial->aggfilter;
	Node *count = NULL;
	Node *sum = NULL;

	if (aggregate != DP_AGGREGATE_SUM)
		count =
			dp_node_asked_count(asking->units,
								call->partial->args == NIL
									? NULL
									: dp_node_points_argument(call->partial, 0),
								filter);
	if (call->traits->takes_bounds)
		sum = dp_node_asked_sum(asking->units, call->points.whole,
								call->points.point, filter);
	if (aggregate == DP_AGGREGATE_SUM)
		sum = sum_of(sum, call);
	if (aggregate == DP_AGGREGATE_MEAN)
		sum = mean_of(sum, count, call);
	if (sum == NULL && call->traits->takes_bounds)
		return NULL;
	return dp_unit_aggregates_of_parts(
		call->traits, call->of_units,
		sum == NULL
			? NULL
			: dp_node_asked_sum(asking->sums, &dp_whole_wide, sum, NULL),
		count == NULL ? (Node *) makeNullConst(INT8OID, -1, InvalidOid)
					  : dp_whole_call(F_INT8_NUMERIC, INT8OID,
									  list_make1(dp_node_asked_sum(
										  asking->sums, &dp_whole_wide,
										  rows_of(count, call), NULL))));
}

/* SELECT unit FROM relation WHERE ... GROUP BY unit */
static DpNodeAsked *
ask_for_units(const Query *reader)
{
	DpNodeAsked *units = dp_node_asked_begin(reader);
	ListCell *cell;

	units->is_grouped = true;
	foreach (cell, dp_nodes_conjuncts(reader->jointree->quals))
		dp_node_asked_where(units, lfirst(cell));
	(void) dp_node_asked_column(
		units, get_sortgroupclause_expr(linitial(reader->groupClause),
										reader->targetList));
	return units;
}

/* Units as an entry of FROM, once all their columns are known. */
static RangeTblEntry *
entry_of(Query *units)
{
	RangeTblEntry *rte = dp_query_entry(units, "units");

	rte->inFromCl = true;
	return rte;
}

Query *
dp_units_on_nodes(const Query *statement, const Query *reader,
				  const DpOutline *outline, Query **rows)
{
	Query *result;
	Asking asking;

	if (!is_ungrouped(statement, reader) || !is_distributed_by_unit(reader) ||
		!is_pure(reader))
		return NULL;
	asking.units = ask_for_units(reader);
	asking.sums = palloc0(sizeof(DpNodeAsked));
	asking.sums->rows = dp_query_over(asking.units->rows, "units");
	result = dp_query_over(asking.sums->rows, "sums");
	foreach_node (TargetEntry, entry, statement->targetList)
	{
		Call call;
		Aggref *aggref = NULL;

		if (read_call((Aggref *) entry->expr, reader, outline->contribution,
					  &call))
			aggref = aggregate_of(&call, &asking);
		if (aggref == NULL)
			return NULL;
		(void) dp_query_add_target(result, (Node *) aggref, entry->resname);
	}
	if (asking.units->has_failed || asking.sums->has_failed)
		return NULL;
	result->hasAggs = true;
	*rows = asking.sums->rows;
	linitial(asking.sums->rows->rtable) = entry_of(asking.units->rows);
	return result;
}
