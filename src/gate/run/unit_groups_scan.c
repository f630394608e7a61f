/*
 * unit_groups_scan.c
 *		DP Unit Groups: its execution.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/tuplesort.h"

#include "gate/run/unit_file.h"
#include "gate/run/unit_groups.h"
#include "gate/run/unit_sort.h"
#include "gate/run/unit_table.h"
#include "gate/run/unit_table_parts.h"
#include "samplers/sequential_choice.h"
#include "server/compat.h"
#include "server/report.h"

/* Files are divided no further than so, but sorted. */
#define DEPTH_MAX 3

#define PARTS_MIN 4
#define PARTS_MAX 256

typedef struct DpUnitGroupsState
{
	CustomScanState css;
	DpUnitGroupsPlan plan;
	AggState *states;
	PlanState *input; /* of that */
	DpUnitTable table;
	bool is_begun;		 /* rows were read */
	List *files;		 /* those that were not read; DpUnitFile */
	DpUnitGroup *group;	 /* next one of the unit that is handed out */
	uint64 left;		 /* its groups that were not looked at */
	uint64 wanted;		 /* of these, to be chosen */
	TupleTableSlot *row; /* read from a file or a sort, as rows of the input */

	/*
	 * Where groups do not fit: rows with the hash of their group as a further
	 * column.
	 */
	Tuplesortstate *sort;	/* of a file's rows; NULL: of none */
	TupleTableSlot *put;	/* a row that is put into it */
	TupleTableSlot *next;	/* the next of its rows; empty: there is none */
	TupleTableSlot *first;	/* the first of those of one unit and hash */
	TupleTableSlot *marked; /* the first of a unit's */
} DpUnitGroupsState;

static void
make_sort_slots(DpUnitGroupsState *state, EState *estate)
{
	TupleDesc input = ExecGetResultType(state->input);
	TupleDesc sorted = CreateTemplateTupleDesc(input->natts + 1);
	int number;

	for (number = 1; number <= input->natts; number++)
		TupleDescCopyEntry(sorted, (AttrNumber) number, input,
						   (AttrNumber) number);
	TupleDescInitEntry(sorted, (AttrNumber) number, "hash", INT4OID, -1, 0);
	state->put = ExecInitExtraTupleSlot(estate, sorted, &TTSOpsVirtual);
	state->next = ExecInitExtraTupleSlot(estate, sorted, &TTSOpsMinimalTuple);
	state->first = ExecInitExtraTupleSlot(estate, sorted, &TTSOpsMinimalTuple);
	state->marked = ExecInitExtraTupleSlot(estate, sorted, &TTSOpsMinimalTuple);
}

static DpUnitGroupsPlan
read_plan(List *list)
{
	return (DpUnitGroupsPlan){linitial(list), lsecond(list), lthird(list),
							  intVal(lfourth(list))};
}

static void
begin(CustomScanState *node, EState *estate, int eflags)
{
	DpUnitGroupsState *state = (DpUnitGroupsState *) node;
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;
	Plan *agg = linitial(scan->custom_plans);

	state->plan = read_plan(scan->custom_private);
	state->states = castNode(AggState, ExecInitNode(agg, estate, eflags));
	node->custom_ps = list_make1(state->states);
	state->input = outerPlanState(state->states);
	state->row = ExecInitExtraTupleSlot(estate, ExecGetResultType(state->input),
										state->states->ss.ps.outerops);
	make_sort_slots(state, estate);
	dp_unit_table_init(&state->table, state->states, state->plan.are_units);
	dp_unit_batch_init(&state->table);
}

/* The following functions are for rows in files. */

/* The next row of the input, or of a file. */
static TupleTableSlot *
next_row(DpUnitGroupsState *state, DpUnitFile *file)
{
	TupleTableSlot *row;

	CHECK_FOR_INTERRUPTS();
	if (file != NULL)
		return dp_unit_file_read(file, state->row) ? state->row : NULL;
	row = ExecProcNode(state->input);
	return TupIsNull(row) ? NULL : row;
}

static void
begin_anew(DpUnitGroupsState *state, DpUnitFile *file)
{
	if (file != NULL)
		dp_unit_file_rewind(file);
	else
		ExecReScan(state->input);
}

/*
 * Divides the rows of the input or of a file among files. share: how often the memory
 * allowed their groups take, as far as that is known. Files' buffers are to be a small
 * part of it.
 */
static void
divide(DpUnitGroupsState *state, DpUnitFile *file, double share)
{
	double most = Min(PARTS_MAX, (double) state->table.limit / BLCKSZ / 8);
	int parts = (int) Max(PARTS_MIN, Min(most, 1.5 * share));
	int depth = file == NULL ? 0 : file->depth;
	DpUnitFile **part = palloc(parts * sizeof(DpUnitFile *));
	TupleTableSlot *row;
	int i;

	for (i = 0; i < parts; i++)
		part[i] = dp_unit_file_make(depth + 1);
	while ((row = next_row(state, file)) != NULL)
	{
		uint32 hash = dp_unit_table_hash(&state->table, row).unit;

		dp_unit_file_write(part[dp_unit_file_part(hash, depth, parts)],
						   dp_unit_table_needed(&state->table, row));
		ResetExprContext(state->states->tmpcontext);
	}
	for (i = 0; i < parts; i++)
		state->files = lcons(part[i], state->files);
	pfree(part);
}

/* The following functions are for files whose groups do not fit into memory. */

static void
fetch_next(DpUnitGroupsState *state)
{
	CHECK_FOR_INTERRUPTS();
	(void) tuplesort_gettupleslot(state->sort, true, true, state->next, NULL);
}

/* Copies a row to one that has the hash of its group, too. */
static TupleTableSlot *
with_hash(DpUnitGroupsState *state, TupleTableSlot *row)
{
	int count = row->tts_tupleDescriptor->natts;
	TupleTableSlot *put = state->put;
	uint32 hash = dp_unit_table_hash(&state->table, row).group;

	ResetExprContext(state->states->tmpcontext);
	slot_getallattrs(row);
	ExecClearTuple(put);
	memcpy(put->tts_values, row->tts_values, count * sizeof(Datum));
	memcpy(put->tts_isnull, row->tts_isnull, count * sizeof(bool));
	put->tts_values[count] = Int32GetDatum((int32) hash);
	put->tts_isnull[count] = false;
	return ExecStoreVirtualTuple(put);
}

/* The next row of the sort, as one of the input. */
static TupleTableSlot *
without_hash(DpUnitGroupsState *state)
{
	TupleTableSlot *row = state->row;
	int count = row->tts_tupleDescriptor->natts;

	slot_getallattrs(state->next);
	ExecClearTuple(row);
	memcpy(row->tts_values, state->next->tts_values, count * sizeof(Datum));
	memcpy(row->tts_isnull, state->next->tts_isnull, count * sizeof(bool));
	return ExecStoreVirtualTuple(row);
}

static void
sort_rows(DpUnitGroupsState *state, DpUnitFile *file)
{
	state->sort =
		dp_unit_sort_begin((const Agg *) state->states->ss.ps.plan,
						   state->next->tts_tupleDescriptor, &state->plan);
	while (next_row(state, file) != NULL)
		tuplesort_puttupleslot(state->sort, with_hash(state, state->row));
	tuplesort_performsort(state->sort);
	fetch_next(state);
}

static bool
is_of_unit(DpUnitGroupsState *state, TupleTableSlot *row)
{
	return !TupIsNull(state->next) &&
		   dp_unit_table_same_unit(&state->table, row, state->next);
}

static bool
has_hash_of(const DpUnitGroupsState *state, TupleTableSlot *row)
{
	bool isnull;
	int number = row->tts_tupleDescriptor->natts;

	return slot_getattr(row, number, &isnull) ==
		   slot_getattr(state->next, number, &isnull);
}

/*
 * Puts the rows that come next, of one unit and one hash, into the table; or their
 * groups alone.
 */
static void
make_groups_of_hash(DpUnitGroupsState *state, bool with_states)
{
	dp_unit_table_reset(&state->table, true);
	ExecCopySlot(state->first, state->next);
	do
	{
		if (with_states)
			dp_unit_table_add(&state->table, without_hash(state));
		else
			dp_unit_table_note(&state->table, without_hash(state));
		fetch_next(state);
	} while (is_of_unit(state, state->first) &&
			 has_hash_of(state, state->first));
}

/* Counts the groups of the unit whose first row comes next. */
static uint64
count_groups(DpUnitGroupsState *state)
{
	uint64 count = 0;

	ExecCopySlot(state->marked, state->next);
	tuplesort_markpos(state->sort);
	do
	{
		make_groups_of_hash(state, false);
		count += state->table.group_count;
	} while (is_of_unit(state, state->marked));
	tuplesort_restorepos(state->sort);
	ExecCopySlot(state->next, state->marked);
	return count;
}

/* The following functions are for all rows. */

/*
 * Reads rows into the table, from their beginning. False where they do not fit; then
 * the table is empty, and rows are to be read again. read: gets how many were read.
 */
static bool
fill_table(DpUnitGroupsState *state, DpUnitFile *file, uint64 *read)
{
	TupleTableSlot *row;

	*read = 0;
	dp_unit_table_reset(&state->table, false);
	while (!state->table.is_full && (row = next_row(state, file)) != NULL)
	{
		dp_unit_table_add(&state->table, row);
		(*read)++;
	}
	if (!state->table.is_full)
		dp_unit_table_finish(&state->table);
	if (!state->table.is_full)
		return true;
	dp_unit_table_reset(&state->table, true);
	begin_anew(state, file);
	return false;
}

/*
 * Makes groups of the input: in memory, or in files, at once where so many are
 * expected that trying would take longer.
 */
static void
make_groups(DpUnitGroupsState *state)
{
	double share = dp_unit_table_share(&state->table,
									   state->states->ss.ps.plan->plan_rows);
	uint64 read;

	if (share > 2)
		divide(state, NULL, share);
	else if (!fill_table(state, NULL, &read))
		divide(state, NULL,
			   state->input->plan->plan_rows / (double) Max(read, 1));
}

/* The same of a file, which is closed: in memory, in more files, or in a sort. */
static void
make_groups_of_file(DpUnitGroupsState *state, DpUnitFile *file)
{
	uint64 read;

	dp_unit_file_rewind(file);
	if (fill_table(state, file, &read))
		;
	else if (file->depth == DEPTH_MAX)
		sort_rows(state, file);
	else
		divide(state, file, (double) file->rows / (double) Max(read, 1));
	dp_unit_file_close(file);
}

/* Goes on to the next rows; false: there are none. */
static bool
go_on(DpUnitGroupsState *state)
{
	MemoryContext old =
		MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);
	bool result = true;

	if (state->sort != NULL)
		tuplesort_end(state->sort);
	state->sort = NULL;
	if (!state->is_begun)
	{
		state->is_begun = true;
		make_groups(state);
	}
	else if (state->files != NIL)
	{
		DpUnitFile *file = linitial(state->files);

		state->files = list_delete_first(state->files);
		make_groups_of_file(state, file);
	}
	else
		result = false;
	MemoryContextSwitchTo(old);
	return result;
}

static void
begin_unit(DpUnitGroupsState *state, uint64 groups)
{
	state->left = groups;
	state->wanted = Min(groups, (uint64) state->plan.groups);
}

/* Whether the next group of the unit is chosen. */
static bool
choose(DpUnitGroupsState *state)
{
	bool chosen;

	dp_report_status(dp_sequential_choice(dp_report_random(), state->left,
										  state->wanted, &chosen));
	state->left--;
	state->wanted -= chosen ? 1 : 0;
	return chosen;
}

/* The groups of the next unit, or some of them; false: there is none. */
static bool
find_groups(DpUnitGroupsState *state)
{
	uint64 count;

	if (state->sort == NULL)
	{
		state->group = dp_unit_table_next(&state->table, &count);
		begin_unit(state, count);
	}
	else if (!TupIsNull(state->next))
	{
		if (state->left == 0)
			begin_unit(state, count_groups(state));
		make_groups_of_hash(state, true);
		dp_unit_table_finish(&state->table);
		state->group = dp_unit_table_next(&state->table, &count);
	}
	return state->group != NULL;
}

/* The next group that is chosen; NULL: there is none. */
static DpUnitGroup *
next_group(DpUnitGroupsState *state)
{
	while (state->group != NULL || find_groups(state))
	{
		DpUnitGroup *group = state->group;

		state->group = dp_unit_group_next(group);
		if (choose(state))
			return group;
	}
	return NULL;
}

static TupleTableSlot *
execute(CustomScanState *node)
{
	DpUnitGroupsState *state = (DpUnitGroupsState *) node;
	TupleTableSlot *slot = node->ss.ss_ScanTupleSlot;
	int columns = slot->tts_tupleDescriptor->natts - 1;
	TupleTableSlot *projected;
	DpUnitGroup *group = NULL;

	CHECK_FOR_INTERRUPTS();
	while ((!state->is_begun || (group = next_group(state)) == NULL) &&
		   go_on(state))
		;
	ExecClearTuple(slot);
	if (group == NULL)
		return slot;
	projected = dp_unit_table_project(&state->table, group);
	slot_getallattrs(projected);
	memcpy(slot->tts_values, projected->tts_values, columns * sizeof(Datum));
	memcpy(slot->tts_isnull, projected->tts_isnull, columns * sizeof(bool));
	slot->tts_values[columns] = BoolGetDatum(true);
	slot->tts_isnull[columns] = false;
	ExecStoreVirtualTuple(slot);
	if (node->ss.ps.ps_ProjInfo == NULL)
		return slot;
	ResetExprContext(node->ss.ps.ps_ExprContext);
	node->ss.ps.ps_ExprContext->ecxt_scantuple = slot;
	return ExecProject(node->ss.ps.ps_ProjInfo);
}

/* Gives back what is not memory, and begins anew. */
static void
clear(DpUnitGroupsState *state)
{
	if (state->sort != NULL)
		tuplesort_end(state->sort);
	state->sort = NULL;
	foreach_ptr (DpUnitFile, file, state->files)
		dp_unit_file_close(file);
	state->files = NIL;
	state->group = NULL;
	state->left = 0;
	state->is_begun = false;
}

static void
end(CustomScanState *node)
{
	DpUnitGroupsState *state = (DpUnitGroupsState *) node;

	clear(state);
	ExecEndNode(&state->states->ss.ps);
}

static void
rescan(CustomScanState *node)
{
	DpUnitGroupsState *state = (DpUnitGroupsState *) node;

	clear(state);
	dp_unit_table_reset(&state->table, false);
	if (node->ss.ps.chgParam != NULL)
		UpdateChangedParamSet(state->input, node->ss.ps.chgParam);
	ExecReScan(state->input);
}

static const CustomExecMethods exec_methods = {
	.CustomName = DP_UNIT_GROUPS_NAME,
	.BeginCustomScan = begin,
	.ExecCustomScan = execute,
	.EndCustomScan = end,
	.ReScanCustomScan = rescan,
};

Node *
dp_unit_groups_create_state(CustomScan *scan)
{
	DpUnitGroupsState *state = (DpUnitGroupsState *) newNode(
		sizeof(DpUnitGroupsState), T_CustomScanState);

	(void) scan;
	state->css.methods = &exec_methods;
	return (Node *) state;
}
