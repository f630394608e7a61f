/*
 * key.h
 *		What a block is grouped by.
 *
 * A key whose values everybody may know is public: every value of its domain
 * is released, whether rows have it or not, so the set of groups reveals
 * nothing. Rows whose key lies outside of the domain are left out. The values
 * of other keys are private: only groups of enough privacy units are released
 * (gate/release/group_selection.h).
 */
#ifndef DP_GATE_BOUND_KEY_H
#define DP_GATE_BOUND_KEY_H

#include "nodes/extensible.h"

#include "gate/relations/relations.h"

/* The type among extensible nodes. */
#define DP_KEY_NAME "DP Key"

/*
 * A key, part of a plan. The domain of a public one is what the sources give,
 * in their order, each value once, and NULL at the end.
 */
typedef struct DpKey
{
	ExtensibleNode extensible;
	Node *expression; /* folded, over the protected relations */
	bool is_public;	  /* the rest holds only then */
	List *sources;	  /* expressions without columns, and queries of one column
					   * (Query; PlannedStmt once they are planned) */
	List *params;	  /* that these queries name */
	Oid reader; /* who plans and runs these queries: the owner of what a foreign
				 * key refers to, of which the statement says nothing;
				 * InvalidOid: whoever asks */
	bool is_nullable; /* NULL is in the domain */
	bool finds_null;  /* NULL is also in the domain where a query returns it */
	bool is_open;  /* rows may have values that the sources lack: declared ones
					   * bind nobody */
	bool is_found; /* some were neither declared nor named: DpDomain */
	char *domain;  /* in words */
	char *missing; /* of a private key: what the owner could declare to make it
					* public; or NULL */
	char *too_large; /* of a private key: how its values are known, of which
					  * there are too many to be groups; or NULL */
} DpKey;

/* The type of keys that are found together. */
#define DP_KEY_TUPLES_NAME "DP Key Tuples"

/*
 * Public keys that are found together, part of a plan: what the sources give, in
 * their order, each tuple once.
 */
typedef struct DpKeyTuples
{
	ExtensibleNode extensible;
	List *keys;	   /* their numbers among the grouping's, from 0, ascending */
	List *sources; /* queries of a column for each key (Query; PlannedStmt once
					* they are planned), and lists of expressions without
					* columns */
	List *params;  /* that these queries name */
	bool is_found; /* as that of a key */
	char *domain;  /* in words */
} DpKeyTuples;

/* Those of some tuples that have a key, by its number; NULL: it is crossed. */
extern const DpKeyTuples *dp_key_tuples_of(List *tuples, int key);

/* Those of some keys that are public, or those that are not. */
extern List *dp_key_those(List *keys, bool is_public);

/*
 * How many values a key can have, at most, NULL one of them; 0 where that is
 * not known before the statement runs: private keys, and domains with a query.
 */
extern uint64 dp_key_values(const DpKey *key);

/* The plans among the sources of keys and of tuples, once they are planned. */
extern List *dp_key_plans(List *keys, List *tuples);

/* The expressions of columns of released rows: keys, then aggregates. */
extern List *dp_key_release_columns(List *keys, List *aggregates);

/* Registers the node; called from dp_release_path_init. */
extern void dp_key_init(void);

#endif
