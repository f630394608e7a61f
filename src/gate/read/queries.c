/*
 * queries.c
 *		Reads sub-queries in FROM that are made of each unit's rows.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"

#include "gate/facts/facts.h"
#include "gate/question/relations/locations.h"
#include "gate/question/relations/refusal.h"
#include "gate/question/relations/flatten.h"
#include "gate/read/followed.h"
#include "gate/read/outputs.h"
#include "gate/read/queries.h"
#include "gate/read/rows.h"
#include "gate/read/unions.h"
#include "server/stack.h"

/* Refuses clauses for which there is no rule. */
static void
check_query(const Query *query)
{
	int location = dp_gate_location_of_query(query);

	if (query->commandType != CMD_SELECT)
		dp_gate_refuse("this statement", "Write a plain SELECT.", location);
	if (query->hasRecursive || query->cteList != NIL)
		dp_gate_refuse(
			"a WITH query that is recursive or volatile",
			"Write its query as a sub-query, or store its rows in "
			"a table first.",
			query->cteList == NIL
				? location
				: linitial_node(CommonTableExpr, query->cteList)->location);
	if (query->limitCount != NULL || query->limitOffset != NULL)
		dp_gate_refuse("LIMIT or OFFSET in a sub-query",
					   "Which rows remain would depend on other privacy units: "
					   "apply it to the released answer.",
					   exprLocation(query->limitCount != NULL
										? query->limitCount
										: query->limitOffset));
	if (query->rowMarks != NIL)
		dp_gate_refuse("FOR UPDATE or FOR SHARE", "Leave it out.", location);
	if (query->groupingSets != NIL)
		dp_gate_refuse(
			"GROUPING SETS, ROLLUP or CUBE in a sub-query",
			"Write one sub-query for each grouping.",
			linitial_node(GroupingSet, query->groupingSets)->location);
	if (query->hasTargetSRFs)
		dp_gate_refuse("a function that returns a set",
					   "Join what it returns in FROM.", location);
	if (query->hasDistinctOn)
		dp_gate_refuse("DISTINCT ON",
					   "Write DISTINCT, or row_number() OVER (PARTITION BY "
					   "the privacy unit ORDER BY ...) in a sub-query.",
					   location);
}

static const DpNode *
read_plain(DpScope *scope, bool by_value)
{
	const DpNode *rows = dp_rows_read_from(scope);

	if (!rows->facts->owner.is_owned)
		dp_gate_refuse("a sub-query whose rows have no privacy unit",
					   "Read a protected relation in its FROM.",
					   dp_gate_location_of_query(scope->query));
	if (by_value)
		rows = dp_followed_to_units(scope->planning, rows);
	scope->row = rows;
	return dp_outputs_read(scope, by_value ? DP_UNIT_LAST : DP_UNIT_ALONG);
}

const DpNode *
dp_queries_read(DpScope *around, int rtindex, bool by_value, int *visible)
{
	RangeTblEntry *rte = rt_fetch(rtindex, around->query->rtable);
	DpScope scope = {.around = around,
					 .is_in_from = true,
					 .planning = around->planning,
					 .query = rte->subquery};
	const DpNode *rows;

	dp_stack_enter();
	if (rte->rtekind != RTE_SUBQUERY || rte->lateral)
		dp_gate_refuse(
			"LATERAL, or a function over protected rows, in FROM",
			"Join it by conditions of the columns instead; or write a "
			"scalar sub-query over the unit's own rows.",
			dp_gate_location_of_entry(around->query, rtindex));
	dp_flatten_take_privileges(around->query, rte);
	check_query(scope.query);
	*visible = ExecCleanTargetListLength(scope.query->targetList);
	rows = scope.query->setOperations != NULL ? dp_unions_read(&scope)
											  : read_plain(&scope, by_value);
	((DpNode *) rows)->name = rte->eref->aliasname; /* nobody else has it yet */
	return rows;
}
