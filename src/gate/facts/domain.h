/*
 * domain.h
 *		Which values a group key may have, where everybody may know them.
 *
 * A key whose values are public is a public key: every value of its domain is
 * released, whether rows have it or not, so the set of groups reveals nothing.
 * Rows whose key lies outside of the domain are left out. The values of other
 * keys are private: only groups of enough units are released.
 *
 * A domain does not depend on the data. It follows from types, constants,
 * constraints, declarations, conditions and what is public:
 *
 *   what conditions name		WHERE kind IN ('a', 'b')
 *   constants, parameters
 *   truth values, enums
 *   columns with declared values
 *   columns of what is public, columns that an inner join equates with these, and
 *     what is computed from them, if the asker may read all of it
 *     (gate/facts/public_values.h)
 *   columns with a foreign key to what the asker may read
 *   what is computed from one column between bounds (gate/facts/between.h)
 *   what CASE, COALESCE, NULLIF and functions of one such part make of these
 *
 * It may have values that no row has.
 */
#ifndef DP_GATE_FACTS_DOMAIN_H
#define DP_GATE_FACTS_DOMAIN_H

#include "gate/tree/node.h"

/* Public values of which a release may have groups; more are refused. */
#define DP_DOMAIN_MAX 1000000

typedef struct DpDomain
{
	bool is_public; /* the rest, except for `missing`, holds only then */

	/*
	 * The values are what these give, in their order, each value once, and NULL
	 * at the end: server nodes, expressions without columns or queries of one
	 * column. A plan can carry them.
	 */
	List *sources;
	Oid reader; /* who plans and runs the queries: the owner of what a foreign
				 * key refers to, of which the statement says nothing;
				 * InvalidOid: whoever asks */
	bool is_nullable; /* NULL is in the domain */
	bool finds_null;  /* NULL is also in the domain where a query returns it */
	bool is_open;	  /* rows may have values that the sources lack: declared
					   * ones bind nobody */
	bool is_found; /* some were neither declared nor named: from public rows, or
					* between bounds; rows may lack many of them */
	bool is_narrowed;	 /* by conditions, or by what public rows must fulfil */
	const char *words;	 /* how it is known, for EXPLAIN */
	const char *missing; /* of a private key: what the owner could declare to
						  * make it public; or NULL */
	const char
		*too_large; /* of a private key: how its values are known, of which
							* there are too many to be groups; or NULL */
} DpDomain;

/*
 * The domains of keys over the rows of a question, which must be complete: of const
 * DpDomain, beside. Each is found by itself; what belongs together, as the columns
 * of one table or what is computed from one column do, is seen here alone.
 *
 * Error: object_not_in_prerequisite_state where declared values are no longer
 * values of their column.
 */
extern List *dp_domain_of_keys(const DpNode *rows, List *keys);

/* As many private ones. */
extern List *dp_domain_private(const List *domains);

/*
 * How many values there are at most, NULL one of them; 0 where that is not known
 * before the statement runs: of private keys, and of queries.
 */
extern uint64 dp_domain_values(const DpDomain *domain);

#endif
