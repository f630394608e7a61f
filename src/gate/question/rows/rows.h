/*
 * rows.h
 *		The rules that give rows an owner.
 *
 * Each row of FROM is owned by one privacy unit, or it is public. Everything
 * that makes rows of a unit from rows of that unit and from public rows is
 * allowed. It does not matter how many rows result, since the contribution of
 * a unit is bounded at the end (gate/question/units/units.h). Two databases
 * are neighbours if one lacks all rows of one unit: by each of these rules,
 * only rows that the unit owns differ then.
 *
 * - Rows of a protected relation are owned by their units. Rows whose unit is
 *   null do not count.
 * - If the units lie along a path, a row is owned by the owner of the row that
 *   it refers to, which is joined to it, unless a condition does so already.
 *   Rows that refer to nothing do not count.
 * - Policies of row-level security that apply to whoever asks are conditions.
 * - What reads nothing protected is public, and copied (gate/question/relations/publics.h).
 * - Owned rows joined to public ones, inner or left, on whatever condition, are
 *   owned by the same unit.
 * - Owned rows joined to owned ones, inner or left, are owned where conditions
 *   say that their units are equal; in a left join those of its own ON.
 * - EXISTS, IN and the like are conditions: over public rows, or over owned
 *   rows whose unit is that of the outer row (gate/question/rows/conditions.h).
 * - A sub-query whose groups, distinct rows or windows are of one unit each is
 *   owned by that unit (gate/question/rows/unit_queries.h).
 *
 * Everything else is refused: rows without an owner would count, or other
 * people's rows would decide about a unit's.
 */
#ifndef DP_GATE_QUESTION_ROWS_ROWS_H
#define DP_GATE_QUESTION_ROWS_ROWS_H

#include "gate/question/relations/relations.h"
#include "gate/question/rows/equalities.h"

/*
 * A protected relation, or a sub-query over such, in FROM. Its unit is a column
 * of a relation, the bearer, of which other columns may be known, too: two rows
 * with one key of the bearer are one unit's.
 */
typedef struct DpOwned
{
	int rtindex;
	int32 population; /* whose people the units are; the first of several */
	Node **leaf;	  /* where a relation stands in FROM */
	List *unit;		  /* columns of this item: Var; of a path NIL until it is
				  * followed, then of the relation that it leads to */
	List *alike; /* of a sub-query: other columns that equal it, integers */
	Oid bearer;	 /* InvalidOid: unknown */
	AttrNumber bearer_unit; /* its column */
	bool is_bearer;			/* the item is the bearer's own */
	List *known;			/* else: its columns that are known, integers */
	List *known_as;			/* beside: columns of this item */
	List *row_keys; /* lists of columns, integers: no two rows of a unit agree
					 * in all of one */
	bool is_mixed;	/* made of rows of several populations */
} DpOwned;

/* Something public in FROM, and what it is joined by. */
typedef struct DpPublicJoin
{
	int rtindex;
	List *conditions; /* ANDed */
} DpPublicJoin;

/* A query whose rows are given an owner, among those around it. */
typedef struct DpScope
{
	struct DpScope *outer; /* NULL: the block */
	Query *query;
	DpRelations *relations; /* of the block */
	List *unit;				/* of its rows, columns of it: Var; NIL: public */
	DpEqualities *equal;	/* in all of its rows */
	List *owned;			/* DpOwned */
	List *publics;			/* DpPublicJoin */
	bool is_mixed;			/* as above */
	bool is_condition; /* its expressions may name columns of the outer query */
	int steps;		   /* of paths so far */
} DpScope;

/*
 * Gives the rows of a query's FROM an owner: scope->unit and what follows it.
 * What is public is replaced by copies; conditions are folded, their
 * sub-queries dealt with, and checked.
 *
 * Errors: feature_not_supported, with a hint, where no rule applies;
 * insufficient_privilege for what the user may not read.
 */
extern void dp_gate_own_rows(DpScope *scope);

/*
 * Notes that rows of one population decide about those of another, whose
 * removal may then exchange rows.
 */
extern void dp_gate_note_exchange(DpScope *scope);

/*
 * Whether units of two items are of one population: who has the same unit in
 * both is the same person, whose rows come and go in both together. Other items
 * are only connected by the analyst's join: then the promise for each is about
 * its own rows, while the rows of the others stay.
 */
extern bool dp_gate_same_people(const DpOwned *one, const DpOwned *other);

/* How many queries are around it. */
extern int dp_gate_scope_depth(const DpScope *scope);

#endif
