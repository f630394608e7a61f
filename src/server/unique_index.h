/*
 * unique_index.h
 *		Which indexes are unique over all rows of a table, by columns alone.
 *
 * This is read from the row in pg_index: RelationGetIndexPredicate() and
 * RelationGetIndexExpressions() may evaluate functions of the index's creator,
 * with the asker's rights.
 */
#ifndef DP_SERVER_UNIQUE_INDEX_H
#define DP_SERVER_UNIQUE_INDEX_H

#include "postgres.h"

#include "access/htup.h"

/*
 * True for a btree index that is unique, valid, not deferrable, not partial, has
 * no expressions, and knows what its columns take for equal. index: its row in
 * pg_index.
 *
 * Then no two rows without nulls in the key are equal in all of its columns, as
 * each column has it: by the default equality of its type under its collation,
 * which is how privacy units, groups and joins compare. It does not follow from
 * uniqueness alone: an index may have an operator class or a collation by which
 * more values differ, as 1.0 and 1.00 do as parts of rows under record_image_ops.
 * So the operator class must have the type's own equality, as the default one
 * and those that only put values in another order have, and the collation must
 * be the column's unless that one is deterministic (server/collations.h).
 */
extern bool dp_is_unique_index(HeapTuple index);

#endif
