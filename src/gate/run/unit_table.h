/*
 * unit_table.h
 *		The states of units' groups, in memory.
 *
 * The server's aggregation node has the aggregates, its compiled expression that
 * adds a row to their states, and the projection of a group; but the table in
 * which it looks for a row's group is its own affair, and knows nothing of units.
 * This table takes its place. In the end it hands out the groups unit by unit,
 * without a sort. Columns are told apart by the functions that the server would
 * use in its table, and by their bits where these functions compare nothing else.
 */
#ifndef DP_GATE_RUN_UNIT_TABLE_H
#define DP_GATE_RUN_UNIT_TABLE_H

#include "executor/nodeAgg.h"
#include "nodes/execnodes.h"

/* The most columns of a group: each has a bit in DpUnitGroup.nulls. */
#define DP_UNIT_COLUMNS_MAX 32

typedef struct DpUnitColumn DpUnitColumn;
typedef struct DpUnitGroup DpUnitGroup;

/* What a row is looked up by. */
typedef struct DpUnitHash
{
	uint32 unit;
	uint32 group; /* of the unit and its group */
} DpUnitHash;

/* Rows are looked up so many at a time. */
#define DP_UNIT_BATCH 32

/* Its fields are in the order of what they are about, not of their sizes. */
/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding) */
typedef struct DpUnitTable
{
	AggState *states; /* has the aggregates; AGG_HASHED, and never executed */
	DpUnitColumn *columns;
	int column_count; /* that are kept of a group; those it is found by first */
	int key_count;
	AttrNumber last;  /* of the columns in a row */
	bool *are_inside; /* beside the transitions: the state is in the group */
	Size states_at;	  /* in a group, in bytes */
	Size group_size;
	MemoryContext memory; /* of blocks and slots */
	MemoryContext values; /* of columns and states that are not in the groups */
	char **blocks;		  /* of groups, by their numbers */
	int block_shift;	  /* 2^this groups each */
	uint32 block_count;
	uint32 block_room;
	uint64 *slots;	   /* by a hash: that, and the number of a group */
	uint64 slot_count; /* a power of two */
	uint32 group_count;
	uint64 *sorted;	   /* the groups, as in slots, by the units' hashes */
	uint32 next;	   /* of these */
	DpUnitGroup *rest; /* other units of the same hash */
	Size limit;		   /* in bytes, of all its memory */
	bool is_full;	   /* it is larger */

	/* Groups as rows. */
	int input_columns; /* of a row that is aggregated */
	bool has_records;  /* groups can be written, if they are not too large */
	TupleTableSlot *record; /* with one more column, for the states */

	/* Rows that are to be looked up. */
	int *needed; /* columns of a row, from 0, so many */
	int needed_count;
	TupleTableSlot *batch[DP_UNIT_BATCH];
	DpUnitHash hashes[DP_UNIT_BATCH];
	int batch_count;
	MemoryContext batch_memory;
} DpUnitTable;

/*
 * An empty table for the groups of a node. are_units: beside the columns that the
 * node groups by, 1 for those of the unit.
 */
extern void dp_unit_table_init(DpUnitTable *table, AggState *states,
							   List *are_units);

/* About how many times the allowed memory this many groups would take. */
extern double dp_unit_table_share(const DpUnitTable *table, double groups);

/* What a row is looked up by. */
extern DpUnitHash dp_unit_table_hash(DpUnitTable *table, TupleTableSlot *row);

/* Whether two rows are of one unit. */
extern bool dp_unit_table_same_unit(DpUnitTable *table, TupleTableSlot *one,
									TupleTableSlot *other);

/*
 * Adds a copy of a row to its group, at once or later; dp_unit_table_finish at the
 * latest.
 */
extern void dp_unit_table_add(DpUnitTable *table, TupleTableSlot *row);

/*
 * The same, at once, where the table has groups of one unit alone, if it has any. False
 * where the row is of another unit.
 */
extern bool dp_unit_table_add_of_unit(DpUnitTable *table, TupleTableSlot *row);

/*
 * Makes the group of a row, if it is new, without adding the row to its states: to
 * count groups.
 */
extern void dp_unit_table_note(DpUnitTable *table, TupleTableSlot *row);

/* Leaves out all groups. is_small: few are to come. */
extern void dp_unit_table_reset(DpUnitTable *table, bool is_small);

/* A row with the columns that are needed, nulls for others, and no states. */
extern TupleTableSlot *dp_unit_table_needed(DpUnitTable *table,
											TupleTableSlot *row);

/*
 * The columns of rows of the input in files, among which are groups as rows, called
 * records: their other columns are null, and a last one has their states. Where there
 * are too many columns for that, those of the input.
 */
extern TupleDesc dp_unit_record_columns(TupleDesc input);

/* Whether all groups can be written so. */
extern bool dp_unit_table_can_write(const DpUnitTable *table);

/* A group's record, until the next call, and the hash of its unit. */
extern TupleTableSlot *dp_unit_table_write(DpUnitTable *table, uint32 number,
										   uint32 *unit);

extern bool dp_unit_table_is_record(const DpUnitTable *table,
									TupleTableSlot *row);

/* Makes the group of a record, which is not in the table. */
extern void dp_unit_table_read(DpUnitTable *table, TupleTableSlot *record);

/* To be called once, when all rows are added and before dp_unit_table_next. */
extern void dp_unit_table_finish(DpUnitTable *table);

/*
 * The groups of a unit that was not handed out before, one linked to the other
 * (dp_unit_group_next), and how many these are. NULL: there is none.
 */
extern DpUnitGroup *dp_unit_table_next(DpUnitTable *table, uint64 *count);
extern DpUnitGroup *dp_unit_group_next(const DpUnitGroup *group);

/* All groups of a table of one unit's, linked to each other. */
extern DpUnitGroup *dp_unit_table_link(const DpUnitTable *table);

/* The columns that the node has for a group. */
extern TupleTableSlot *dp_unit_table_project(DpUnitTable *table,
											 const DpUnitGroup *group);

#endif
