/*
 * premises.c
 *		What a plan relies on, and must still hold when it is executed.
 */
#include "postgres.h"

#include "catalog/pg_class.h"

#include "gate/question/relations/definition.h"
#include "gate/question/relations/reliance.h"
#include "gate/question/units/contributions.h"
#include "gate/release/premises.h"

/*
 * The relations that a plan reads, partitions among them; some several times.
 */
static List *
add_relations(List *relations, const PlannedStmt *statement)
{
	ListCell *cell;

	foreach (cell, statement == NULL ? NIL : statement->rtable)
	{
		const RangeTblEntry *rte = lfirst_node(RangeTblEntry, cell);

		/* The OLD and NEW of a view's rule are not read. */
		if (rte->rtekind == RTE_RELATION &&
			(rte->inFromCl ||
			 (rte->relkind != RELKIND_VIEW && rte->relkind != RELKIND_MATVIEW)))
			relations = lappend_oid(relations, rte->relid);
	}
	return relations;
}

/*
 * Refuses to read rows that are older than what is known of them.
 */
static void
check_ages(const DpReleaseState *state)
{
	const DpReleasePlan *plan = state->plan;
	Snapshot snapshot = state->css.ss.ps.state->es_snapshot;
	List *relations = add_relations(NIL, plan->inner);
	ListCell *cell;

	relations = add_relations(relations, plan->unit_counts);
	foreach (cell, plan->outline.copies)
		relations = add_relations(relations, lfirst_node(PlannedStmt, cell));
	dp_gate_compare_ages(relations, snapshot);
}

void
dp_premises_check_caps(const DpReleaseState *state)
{
	dp_gate_check_contribution(&state->plan->outline.relations,
							   state->plan->outline.contribution);
}

void
dp_premises_check(const DpReleaseState *state)
{
	dp_gate_shapes_check(&state->plan->shapes);
	dp_gate_check_reliances(state->plan->reliances);
	check_ages(state);
}
