/*
 * scans.c
 *		Reads protected relations in FROM.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "gate/facts/facts.h"
#include "gate/question/relations/locations.h"
#include "gate/question/relations/populations.h"
#include "gate/question/relations/refusal.h"
#include "gate/read/paths.h"
#include "gate/read/scans.h"
#include "server/compat.h"

void
dp_scans_check_member(const DpPlanning *planning,
					  const DpProtection *protection)
{
	dp_gate_check_member(protection);
	if (planning->view_depth == 0 || planning->lenders == NIL ||
		list_member_oid(planning->lenders, protection->population_owner))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("a protected view cannot read \"%s\", which is in a "
					"population of another role",
					get_rel_name(protection->relation)),
			 errhint("Protect the view in that population: its owner grants "
					 "the budgets to ask about it.")));
}

static void
check_entry(Query *query, int rtindex)
{
	const RangeTblEntry *rte = rt_fetch(rtindex, query->rtable);
	int location;

	if (rte->inh && rte->tablesample == NULL &&
		dp_gate_is_protected(rte->relid))
		return;
	location = dp_gate_location_of_entry(query, rtindex);
	if (!rte->inh)
		dp_gate_refuse("ONLY", "Leave it out.", location);
	if (rte->tablesample != NULL)
		dp_gate_refuse("TABLESAMPLE", "Leave it out.",
					   exprLocation((Node *) rte->tablesample->args));
	dp_gate_refuse("a policy that reads a protected relation",
				   "Ask the owner for a policy that does not.", location);
}

void
dp_scans_check_unit(const DpProtection *protection)
{
	if (protection->unit < 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the privacy unit of \"%s\" is a column that is no "
						"longer there",
						get_rel_name(protection->relation)),
				 errhint("Ask the owner to protect it again, with the column's "
						 "present name.")));
	if (dp_compat_is_virtual(protection->relation, protection->unit))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("a virtual generated column cannot be the "
							   "privacy unit"),
						errhint("Ask the owner for a stored column.")));
}

List *
dp_scans_add_unit(List *columns, const DpProtection *protection)
{
	Oid relation = protection->relation;
	char kind = get_rel_relkind(relation);

	if (protection->unit == DP_UNIT_BY_PATH)
		return list_concat_unique_int(columns, protection->path_columns);
	dp_scans_check_unit(protection);
	if (protection->unit > 0)
		return list_append_unique_int(columns, protection->unit);
	if (kind == RELKIND_FOREIGN_TABLE)
		return columns;
	if (kind != RELKIND_RELATION || has_subclass(relation))
		columns = lappend_int(columns, TableOidAttributeNumber);
	return lappend_int(columns, SelfItemPointerAttributeNumber);
}

const DpNode *
dp_scans_read(DpScope *scope, int rtindex, const AttrNumber **attributes)
{
	Query *query = scope->query;
	const RangeTblEntry *rte = rt_fetch(rtindex, query->rtable);
	const DpProtection *protection;
	AttrNumber *numbers;
	List *columns = NIL;
	DpScan *scan;
	int column = -1;
	ListCell *cell;

	check_entry(query, rtindex);
	protection = dp_gate_protection(rte->relid);
	dp_scans_check_member(scope->planning, protection);
	dp_paths_check(scope, rtindex);
	while ((column = bms_next_member(scope->used[rtindex - 1], column)) > 0)
		columns = lappend_int(columns, column);
	columns = dp_scans_add_unit(columns, protection);
	numbers = palloc(list_length(columns) * sizeof(AttrNumber));
	foreach (cell, columns)
		numbers[foreach_current_index(cell)] = (AttrNumber) lfirst_int(cell);
	scan = dp_node_scan(rte->relid, numbers, list_length(columns),
						dp_gate_location_of_entry(query, rtindex));
	scan->view_depth = scope->planning->view_depth;
	*attributes = numbers;
	return dp_facts_add(&scan->node);
}
