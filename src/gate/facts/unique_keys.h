/*
 * unique_keys.h
 *		Columns in which no two rows of a relation agree, by its unique indexes.
 */
#ifndef DP_GATE_FACTS_UNIQUE_KEYS_H
#define DP_GATE_FACTS_UNIQUE_KEYS_H

#include "postgres.h"

#include "nodes/pg_list.h"

typedef struct DpUniqueKey
{
	List *columns; /* of the relation, integers, ascending */

	/*
	 * None of them can be null. Else rows in which one is are not told apart;
	 * they equal none.
	 */
	bool is_not_null;

	/*
	 * That no two rows agree in them can be checked while they are copied, by
	 * hashing, as a join by the index's operators takes values for equal.
	 */
	bool can_be_checked;
} DpUniqueKey;

/*
 * The keys of a relation, in the order of its indexes. NIL for one that others
 * may inherit from: its indexes say nothing about their rows.
 */
extern List *dp_unique_keys_of(Oid relation);

/* Whether some columns, integers, are exactly such a key, in whatever order. */
extern bool dp_unique_keys_has(Oid relation, const List *columns);

#endif
