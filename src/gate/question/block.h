/*
 * block.h
 *		A query block over protected relations: checked, and taken apart.
 */
#ifndef DP_GATE_QUESTION_BLOCK_H
#define DP_GATE_QUESTION_BLOCK_H

#include "gate/question/relations/shapes.h"
#include "gate/question/relations/subjects.h"
#include "gate/question/ends.h"
#include "gate/question/units/unit_aggregates.h"
#include "mechanisms/contribution.h"

/* The result of taking a block apart. */
typedef struct DpBlock
{
	DpSubjects subjects; /* the protected relations */
	List *keys;			 /* of groups, DpKey; NIL without GROUP BY */
	List *aggregates;	 /* of Aggref */
	List *calls;		 /* what is computed for them */
	DpEnds *ends;		 /* of intervals around them */
	List *levels;		 /* of privacy, Float, descending; NIL: none */
	Node *quals;		 /* its conditions; may be NULL */
	List *lookups;		 /* rows of what is public, Query: DpPublic.rows */
	List *copies;		 /* rows of protected relations, Query: row_copies.h */
	List *lookup_keys;	 /* beside lookups: DpPublic.key */
	List *constants;	 /* Query: gate/question/expressions/constants.h */
	List *constant_numbers; /* beside: of the parameters that they are */
	int row_constants;		/* so many, the first, are of FROM and WHERE */
	List *unique_indexes;	/* oids: see gate/question/units/contributions.h */
	DpShapes shapes; /* of the relations that are named, and their parts */
	DpContribution contribution;
	DpOpenChoices choices;
	int family;		  /* one of several groupings (grouping_family.h); or 0 */
	bool are_of_one;  /* these are tables of the same rows, by public keys */
	List *other_keys; /* DpKey: of theirs, by which units are bounded, too */
	bool finest_one_row; /* as subjects.one_row and one_group, by all keys */
	bool finest_one_group;
	Query *inner; /* keys and aggregates, with the owner's rights */
	Query *empty; /* aggregates of a group without rows; NULL without keys */
	Query *units; /* numbers of units by the private keys alone; only where
				   * there are public ones, too: else they are inner's last
				   * column */
} DpBlock;

/*
 * True for a block with private aggregates that reads protected data. Then its
 * sub-queries that only select and join are merged into it.
 */
extern bool dp_gate_block_is_protected(Query *query);

/*
 * Checks the shape of a block and all expressions over protected columns, and
 * takes it apart; the query itself is changed to read its released rows from
 * the release function under the given number. Declared bounds fill in
 * omitted ones. Queries for the domains of keys are left to be planned.
 *
 * Errors: feature_not_supported, with a position and a hint.
 */
extern void dp_gate_block_split(Query *query, int64 number, DpBlock *block);

#endif
