/*
 * unit_groups_parts.h
 *		DP Unit Groups: its state while it is executed, for the files that do that.
 */
#ifndef DP_GATE_RUN_UNIT_GROUPS_PARTS_H
#define DP_GATE_RUN_UNIT_GROUPS_PARTS_H

#include "nodes/execnodes.h"
#include "utils/tuplesort.h"

#include "gate/run/unit_file.h"
#include "gate/run/unit_groups.h"
#include "gate/run/unit_table.h"

typedef struct DpUnitGroupsState
{
	CustomScanState css;
	DpUnitGroupsPlan plan;
	AggState *states; /* the node whose aggregates' states are kept */
	PlanState *input; /* that node's input */
	DpUnitTable table;
	bool is_begun;		   /* rows were read */
	bool is_in_order;	   /* rows come unit by unit, and are read so */
	TupleTableSlot *ahead; /* a row that was read before its turn, or NULL */
	bool is_at_end;		   /* the input has no more; it would begin anew */
	TupleTableSlot *unfit; /* one of a unit whose groups do not fit */
	List *files;		   /* those that were not read; DpUnitFile */
	DpUnitGroup *group;	   /* next one of the unit that is handed out */
	uint64 left;		   /* groups of the unit that were not looked at */
	uint64 wanted;		   /* how many of these are still to be chosen */
	TupleTableSlot *row; /* read from a file: a row of the input, or a record */

	/*
	 * Where groups do not fit: rows with the hash of their group as a further column,
	 * and below it a bit that is 0 for records.
	 */
	Tuplesortstate *sort;	/* of a file's rows; NULL: of none */
	TupleTableSlot *put;	/* a row that is put into it */
	TupleTableSlot *next;	/* the next of its rows; empty: there is none */
	TupleTableSlot *first;	/* the first of those of one unit and hash */
	TupleTableSlot *marked; /* the first of a unit's */
} DpUnitGroupsState;

/* unit_spill.c: the next row of the input, or of a file. NULL: there is none. */
extern TupleTableSlot *dp_unit_rows_next(DpUnitGroupsState *state,
										 DpUnitFile *file);

/* unit_spill.c: begins with the first of these rows again. */
extern void dp_unit_rows_again(DpUnitGroupsState *state, DpUnitFile *file);

/*
 * unit_spill.c: divides the groups of the table, and the rows that are left of the input
 * or of a file, among files. share: how
 * often the memory allowed their groups take, as far as that is known. Files' buffers
 * are to be a small part of it.
 */
extern void dp_unit_rows_divide(DpUnitGroupsState *state, DpUnitFile *file,
								double share);

/* unit_spill.c: room for rows of a sort. */
extern void dp_unit_spill_init(DpUnitGroupsState *state, EState *estate);

/*
 * unit_spill.c: makes groups of the input: in memory, or in files, at once where so
 * many are expected that trying would take longer.
 */
extern void dp_unit_spill_begin(DpUnitGroupsState *state);

/*
 * unit_spill.c: the same of a file, which is closed: in memory, in more files, or in
 * a sort.
 */
extern void dp_unit_spill_read(DpUnitGroupsState *state, DpUnitFile *file);

/*
 * unit_spill.c: counts the groups of the unit whose first row comes next in the sort.
 */
extern uint64 dp_unit_spill_count(DpUnitGroupsState *state);

/* unit_spill.c: puts those of its groups that have the next hash into the table. */
extern void dp_unit_spill_fill(DpUnitGroupsState *state);

/*
 * unit_in_order.c: reads all rows of the next unit into the table. False where there
 * are none, and where its groups do not fit; then all that is left is in files.
 */
extern bool dp_unit_in_order_read(DpUnitGroupsState *state);

#endif
