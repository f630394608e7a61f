/*
 * together.h
 *		Keys whose values can only occur together.
 *
 * Of keys with public values every combination is a group. Where keys determine
 * each other, most combinations can have no row: a day is in one week, a store in
 * one city. So these are found together, as tuples:
 *
 *   what public rows decide, from these rows (gate/facts/public_values.h)
 *   what is computed from one column, from that column's values
 *
 * All else is crossed. Where a private key has the same origin, the others are
 * private, too: they come with its groups.
 */
#ifndef DP_GATE_FACTS_TOGETHER_H
#define DP_GATE_FACTS_TOGETHER_H

#include "gate/facts/domain.h"

/*
 * The rows that have one of some tuples, by the column from which the keys are
 * computed: whatever the keys are, all rows that these keep have one of them.
 */
typedef struct DpKept
{
	const DpExpr *column;
	List *values;	  /* of Const: it has one of these; or, if NIL, */
	Const *bounds[2]; /* it lies between these, or is one of them */
	bool is_nullable; /* or it is null */
} DpKept;

typedef struct DpTogether
{
	List *keys; /* numbers of the question's keys, ascending */

	/*
	 * The tuples are what these give, each once: queries, of a column for each key,
	 * and lists of server nodes without columns, of one for each key. A plan can
	 * carry them.
	 */
	List *sources;

	/* Whether rows may have other tuples; and those that have one, if it can be said. */
	bool is_open;
	const DpKept *kept;
	bool is_found;	   /* as DpDomain.is_found */
	const char *words; /* how they are known, for EXPLAIN */
} DpTogether;

/*
 * Which of some keys, by their numbers, are found together: a list of const
 * DpTogether, each of several keys. domains: of all keys, beside.
 */
extern List *dp_together_of(const DpNode *rows, List *keys, List *domains,
							const Bitmapset *numbers);

/*
 * Makes public keys private that are computed from the same as a private one, where
 * they are grouped together: groupings, of Bitmapset. Returns the domains.
 */
extern List *dp_together_with_private(const DpNode *rows, List *keys,
									  List *domains, List *groupings);

/*
 * Whether rows are not compared with values one by one: so many would be computed for
 * each row. Constants are hashed.
 */
extern bool dp_together_are_too_many(List *values);

/*
 * Of open tuples of all keys, which rows have them: a list of const DpKept. False where
 * that cannot be said of some, or of the values of some open key.
 */
extern bool dp_together_kept(const DpNode *rows, List *keys, List *domains,
							 List **kept);

/* How many tuples there are at most; 0 where that is not known. */
extern uint64 dp_together_values(const DpTogether *together);

#endif
