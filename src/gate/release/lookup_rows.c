/*
 * lookup_rows.c
 *		Copies of public rows and of relations, while a release is computed.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/index.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/queryenvironment.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/tuplestore.h"

#include "expressions/guards.h"
#include "gate/question/relations/publics.h"
#include "gate/question/relations/rights.h"
#include "gate/question/relations/row_copies.h"
#include "gate/question/relations/silence.h"
#include "gate/release/execution.h"
#include "gate/release/lookup_rows.h"
#include "gate/release/unique_rows.h"

/* Whether a row of a catalog is gone, or was made after a snapshot. */
static bool
is_younger(HeapTuple tuple, Snapshot snapshot)
{
	TransactionId made;
	bool result;

	if (!HeapTupleIsValid(tuple))
		return true;
	made = HeapTupleHeaderGetXmin(tuple->t_data);
	result = TransactionIdIsNormal(made) &&
			 (TransactionIdIsCurrentTransactionId(made) ||
			  XidInMVCCSnapshot(made, snapshot));
	ReleaseSysCache(tuple);
	return result;
}

/*
 * A unique index was made from the rows of its time. In an older snapshot
 * there may be others: ones deleted since, with one key many times. So there may
 * be where the table was emptied since (TRUNCATE, then COPY with FREEZE), and
 * whoever could do that may no longer have the privilege. is_joined: they would
 * have rows of other relations count many times.
 */
static void
check_index(Oid index, bool is_joined, Snapshot snapshot)
{
	Oid table = IndexGetRelation(index, true);

	if (is_younger(SearchSysCache1(INDEXRELID, ObjectIdGetDatum(index)),
				   snapshot) ||
		(is_joined &&
		 is_younger(SearchSysCache1(RELOID, ObjectIdGetDatum(table)),
					snapshot)))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("a unique index of a protected relation, or the "
						"relation, is younger than this transaction's view "
						"of it"),
				 errhint("Ask again in a transaction that begins after the one "
						 "that made or changed them has ended.")));
}

void
dp_gate_check_indexes(List *indexes, bool is_joined, Snapshot snapshot)
{
	ListCell *cell;

	foreach (cell, indexes)
		check_index(lfirst_oid(cell), is_joined, snapshot);
}

/* Where rows go. */
typedef struct Copy
{
	Tuplestorestate *store;
	DpUniqueRows *unique; /* NULL: the same key may come twice */
	bool is_public;
} Copy;

/*
 * Refuses long values of public rows. Joined to a protected row they could
 * make one that is too long for the server, and the failure would reveal it.
 */
static void
check_lengths(TupleTableSlot *slot)
{
	int i;

	slot_getallattrs(slot);
	for (i = 0; i < slot->tts_tupleDescriptor->natts; i++)
	{
		if (!slot->tts_isnull[i] &&
			TupleDescAttr(slot->tts_tupleDescriptor, i)->attlen == -1 &&
			dp_guard_size(slot->tts_values[i]) > DP_GUARD_VALUE)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("a value of what is public in a question about a "
							"protected relation is too long"),
					 errdetail("It may have %d MB.",
							   (int) (DP_GUARD_VALUE / 1024 / 1024)),
					 errhint("Read a part of it, such as left(x, 1000), in a "
							 "sub-query.")));
	}
}

static bool
receive_row(TupleTableSlot *slot, void *context)
{
	Copy *copy = context;

	if (copy->is_public)
		check_lengths(slot);
	tuplestore_puttupleslot(copy->store, slot);
	if (copy->unique != NULL)
		dp_gate_unique_add(copy->unique, slot);
	return true;
}

/*
 * Reads the rows of one table or relation, by a name. keys: columns no two rows
 * agree in; NIL: any may.
 */
static void
add_rows(DpLookupRows *rows, PlannedStmt *plan, List *keys, bool is_public,
		 char *name, EState *estate)
{
	EphemeralNamedRelation named = palloc0(sizeof(*named));
	TupleDesc descriptor = ExecCleanTypeFromTL(plan->planTree->targetlist);
	Tuplestorestate *store = tuplestore_begin_heap(true, false, work_mem);
	Copy copy = {store, NULL, is_public};

	if (keys != NIL)
		copy.unique = dp_gate_unique_begin(keys, descriptor);
	dp_gate_execute(plan, estate, NIL, receive_row, &copy);
	if (keys != NIL)
		dp_gate_unique_end(
			copy.unique,
			get_rel_name(linitial_node(RangeTblEntry, plan->rtable)->relid));
	named->md.name = name;
	named->md.tupdesc = descriptor;
	named->md.enrtype = ENR_NAMED_TUPLESTORE;
	named->md.enrtuples = (double) tuplestore_tuple_count(store);
	named->reldata = store;
	if (rows->environment == NULL)
		rows->environment = create_queryEnv();
	register_ENR(rows->environment, named);
	rows->stores = lappend(rows->stores, store);
}

DpLookupRows
dp_gate_open_lookups(List *plans, List *keys, const DpShapes *shapes,
					 EState *estate)
{
	DpLookupRows result = {estate->es_queryEnv, NULL, NIL};
	DpRights rights;
	ListCell *cell;
	ListCell *key;

	dp_gate_begin_public(&rights);
	PG_TRY();
	{
		forboth (cell, plans, key, keys)
		{
			dp_gate_shapes_check(shapes);
			add_rows(&result, lfirst(cell), lfirst(key), true,
					 dp_gate_public_name(foreach_current_index(cell) + 1),
					 estate);
		}
	}
	PG_FINALLY();
	{
		dp_gate_end_rights(&rights);
	}
	PG_END_TRY();
	return result;
}

void
dp_gate_use_lookups(const DpLookupRows *rows, EState *estate)
{
	if (rows->environment != NULL)
		estate->es_queryEnv = rows->environment;
}

void
dp_gate_open_copies(List *plans, const DpSubjects *subjects, DpLookupRows *rows,
					EState *estate)
{
	ListCell *cell;

	foreach (cell, plans)
	{
		int place = foreach_current_index(cell);
		DpRights rights; /* ended after errors by dp_gate_run_silently */

		dp_gate_begin_rights(&rights, dp_gate_copy_reader(subjects, place));
		add_rows(rows, lfirst(cell), NIL, false, dp_gate_copy_name(place + 1),
				 estate);
		dp_gate_end_rights(&rights);
	}
	dp_gate_use_lookups(rows, estate);
}

void
dp_gate_close_lookups(const DpLookupRows *rows, EState *estate)
{
	int nest = dp_gate_begin_silence(); /* temporary files are counted now */
	ListCell *cell;

	foreach (cell, rows->stores)
		tuplestore_end(lfirst(cell));
	AtEOXact_GUC(true, nest);
	estate->es_queryEnv = rows->before;
}
