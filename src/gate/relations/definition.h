/*
 * definition.h
 *		A relation's definition in the catalogs, to be compared.
 *
 * A plan depends on a relation's columns, its owner and the index that makes
 * its privacy units unique, as they were when it was planned. A definition
 * notes the row versions of the catalogs in which they were found, and those
 * of a view's query. So a column that was changed and changed back has a
 * different definition.
 */
#ifndef DP_GATE_RELATIONS_DEFINITION_H
#define DP_GATE_RELATIONS_DEFINITION_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "utils/snapshot.h"

/* Bytes of which only the equality means anything. */
typedef struct DpDefinition
{
	Size size;
	char bytes[FLEXIBLE_ARRAY_MEMBER];
} DpDefinition;

/*
 * The definition of a relation as it is now, with one of its indexes, or
 * InvalidOid for none; NULL when one of them is gone.
 */
extern DpDefinition *dp_definition_of(Oid relation, Oid index);

extern DpDefinition *dp_definition_copy(const DpDefinition *definition);

/*
 * Compares what the catalogs say of some relations' columns, constraints and
 * indexes, and where their rows are, with a snapshot. relations: oids, which may
 * come several times; the list is changed. Errors:
 * object_not_in_prerequisite_state where the snapshot is older: of its rows they
 * may not be true. Some of these may have no unit, or may be deleted since, with
 * one key many times; and rows loaded after TRUNCATE with FREEZE are in every
 * snapshot. The server's planner, too, believes catalogs more than snapshots.
 */
extern void dp_definition_compare_ages(List *relations, Snapshot snapshot);

/* False also where one is NULL. */
extern bool dp_definition_is_same(const DpDefinition *one,
								  const DpDefinition *other);

#endif
