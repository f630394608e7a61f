/*
 * block.h
 *		A query block over a protected relation: checked, and taken apart.
 */
#ifndef DP_GATE_BLOCK_H
#define DP_GATE_BLOCK_H

#include "nodes/parsenodes.h"

#include "mechanisms/contribution.h"

/* What a block becomes. */
typedef struct DpBlock
{
	Oid relation;		  /* the protected one */
	Index varno;		  /* its place in the block's range table */
	List *keys;			  /* of groups, DpKey; NIL without GROUP BY */
	List *aggregates;	  /* of Aggref */
	List *calls;		  /* what is computed for them */
	List *levels;		  /* of privacy, Float, descending; NIL: none */
	Node *quals;		  /* its conditions; may be NULL */
	List *lookups;		  /* rows of joined tables, Query: see gate/joins.h */
	List *unique_indexes; /* oids, theirs and of the privacy unit */
	AttrNumber unit;	  /* column of the privacy unit; 0: the row */
	bool several;		  /* a privacy unit may have several rows */
	DpContribution contribution;
	Query *inner; /* keys and aggregates, with the owner's rights */
	Query *empty; /* aggregates of a group without rows; NULL without keys */
	Query *units; /* numbers of units by the private keys alone; only where
				   * there are public ones, too: else they are inner's last
				   * column */
} DpBlock;

/*
 * The protected relation of a block with private aggregates: InvalidOid when
 * it reads none. Errors: feature_not_supported when it reads protected data
 * in another way than directly FROM one protected relation.
 */
extern Oid dp_gate_block_relation(Query *query);

/*
 * Checks the shape of a block and all expressions over protected columns, and
 * takes it apart; the query itself is changed to read its released rows from
 * the release function under the given number. Declared bounds fill in
 * omitted ones. Queries for the domains of keys are left to be planned.
 *
 * Errors: feature_not_supported, with a position and a hint.
 */
extern void dp_gate_block_split(Query *query, Oid relation, int64 number,
								DpBlock *block);

#endif
