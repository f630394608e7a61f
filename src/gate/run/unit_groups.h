/*
 * unit_groups.h
 *		DP Unit Groups, a plan node: the groups of units, some of each at random.
 *
 * It does what is written in an inner statement (gate/bound/units.c) as
 *
 *		SELECT unit, key, partial(...), choose(groups) OVER (PARTITION BY unit)
 *		FROM ... GROUP BY unit, key
 *
 * for those who keep to rows where choose() is true: it returns no others. The
 * server would aggregate, sort by unit and choose in a window. This node aggregates
 * in a hash table of its own (unit_table.h), from which the groups come unit by
 * unit. The law is the same (samplers/sequential_choice.h): each subset of a unit's
 * groups of that size is equally likely; units with no more draw nothing.
 *
 * The node beneath it is the server's hash aggregation, which has the aggregates
 * and reads the rows, in parallel where the planner finds it worth while; it is
 * never executed itself.
 *
 * Where rows come in the order of units, from an index, say, the table has the groups
 * of one unit at a time (unit_in_order.c): strategy "Sorted", else "Hashed". Which of
 * them is cheaper the planner decides; the groups and the law are the same.
 *
 * Where the table is larger than work_mem allows (hash_mem_multiplier, as for the
 * server's), its groups are written into files with their states, and after them the
 * rows that are left, all of a unit into the same (unit_record.c). Where states are no
 * values, the table is thrown away, and all rows are read again. Each file is then
 * aggregated by itself. One that is too large still is divided further; and where that helps no more, since a
 * single unit has so many groups, its rows are sorted by unit and by the hash of their
 * group (groups themselves are never sorted: the order of an enum can fail). So memory
 * is bounded whatever the rows are, but for groups of one unit and one hash.
 */
#ifndef DP_GATE_RUN_UNIT_GROUPS_H
#define DP_GATE_RUN_UNIT_GROUPS_H

#include "nodes/extensible.h"
#include "nodes/pathnodes.h"

#define DP_UNIT_GROUPS_NAME "DP Unit Groups"

/* How a node is to choose, in its plan's custom_private. */
typedef struct DpUnitGroupsPlan
{
	List *are_units; /* beside the columns grouped by: 1 for the unit's, or 0 */
	List *operators; /* parallel: by which units are sorted, */
	List *collations; /* and in which order */
	int groups;		  /* of a unit, at most */
	bool is_sorted;	  /* all rows of a unit come one after the other */
} DpUnitGroupsPlan;

/* For create_upper_paths_hook, of an inner statement: adds its paths. */
extern void dp_unit_groups_propose(PlannerInfo *root, UpperRelationKind stage,
								   RelOptInfo *input, RelOptInfo *output);

/* Registers the node; called from dp_inner_plan_init. */
extern void dp_unit_groups_init(void);

/* Its execution (unit_groups_scan.c, unit_in_order.c, unit_spill.c). */
extern Node *dp_unit_groups_create_state(CustomScan *scan);

#endif
