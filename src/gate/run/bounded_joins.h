/*
 * bounded_joins.h
 *		Hash joins whose tables are of a bounded size, and no others.
 *
 * A hash table that is too large for memory is split by the keys' hashes, but
 * rows of one key stay together. So a table is made of one relation alone, of
 * which either no two rows have the same key, or which is a copy of public
 * rows. That is decided for a relation and the conditions by which it is
 * joined, of each pair that the planner looks at: it looks at all pairs,
 * whatever it expects of the rows. No plan is looked at, since which one is
 * chosen depends on statistics of protected rows.
 *
 * The rows of a key are unique by an index, or because they are groups or
 * different values of a sub-query. In a snapshot that is older than an index
 * there may be several of one key: only the owner of all relations in the join
 * could bring that about, since relations on which others have privileges are
 * copied, and it would cost memory, not privacy.
 *
 * How many public rows have one hash is checked when they are copied, for all
 * tables that some plan may have (gate/release/hashed_rows.h).
 *
 * Of so many relations that not all joins are looked at (geqo_threshold) none
 * is hashed.
 */
#ifndef DP_GATE_RUN_BOUNDED_JOINS_H
#define DP_GATE_RUN_BOUNDED_JOINS_H

#include "nodes/pathnodes.h"

/*
 * For set_join_pathlist_hook, while enable_hashjoin is off: has the planner look
 * at a pair of relations again, with hash joins, if the inner one may be hashed.
 *
 * hashed: gets copies of public rows that some plan may hash. Each is a list: the
 * copy's name (String); its columns that are hashed (IntList); beside them the hash
 * functions and collations (OidList); whether rows with nulls are hashed (Integer).
 */
extern void dp_bounded_joins_propose(PlannerInfo *root, RelOptInfo *joined,
									 RelOptInfo *outer, RelOptInfo *inner,
									 JoinType type, JoinPathExtraData *extra,
									 List **hashed);

#endif
