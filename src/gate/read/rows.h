/*
 * rows.h
 *		Reads rows: FROM, what stands in it, and sub-queries of expressions.
 *
 * All of these raise feature_not_supported, with a position and a hint, where no
 * rule gives the rows an owner (gate/facts/owner.h), and insufficient_privilege for
 * what the user may not read.
 */
#ifndef DP_GATE_READ_ROWS_H
#define DP_GATE_READ_ROWS_H

#include "gate/read/scope.h"
#include "gate/relations/protection.h"

/*
 * Reads FROM and WHERE of scope->query, which is changed: plain sub-queries are
 * written out. Of the scope, around, is_in_from, planning and query are given; the
 * rest is set, so that expressions over these rows can be read then. The result is
 * owned or public; its units may still lie along paths (dp_scans_follow).
 */
extern const DpNode *dp_rows_read_from(DpScope *scope);

/*
 * Reads a sub-query of an expression, whose rows are the row's own unit's, or
 * public; or which is a value that is found before (gate/read/parameter.c).
 */
extern const DpExpr *dp_sublinks_read(DpScope *scope, SubLink *link);

/*
 * sets.c: FROM as sets of entries that are joined inner
 */

/* What is joined inner in some nodes of FROM. */
typedef struct DpSet
{
	List *entries;	  /* their numbers in the range table, integers */
	List *conditions; /* ANDed: Node, as they are written */

	/*
	 * Those of left joins that are inner ones, a list for each. They are evaluated
	 * apart: where one is never true, the others still say what is equal.
	 */
	List *apart;
	List *outer; /* left joins onto it, in order: JoinExpr */
} DpSet;

/*
 * The set of what is joined inner in some nodes of FROM. condition: that holds in
 * it, too; may be NULL. A left join is an inner one where an equation of the set is
 * true only in rows that matched. Error: feature_not_supported for FULL JOIN.
 */
extern DpSet *dp_sets_of(Query *query, List *nodes, Node *condition);

/* All conditions of a set as one list. */
extern List *dp_sets_conditions(const DpSet *set);

/*
 * The entries whose columns a condition names. That these may be null by an outer
 * join, which later servers count as naming the join, is no part of that.
 */
extern Bitmapset *dp_sets_named(const Query *query, Node *condition);

/*
 * What follows from two equations of one column with others: that these are
 * equal, as equations. conditions, known: Node.
 */
extern List *dp_sets_implied(List *conditions, List *known);

/*
 * joins.c: makes joins
 */

typedef struct DpJoined
{
	List *inputs;  /* of const DpNode */
	List *entries; /* beside: where they come from in FROM, for messages */
	List *implied; /* of const DpExpr: what follows from other conditions */
	int location;  /* of the condition */
	bool is_left;  /* a left join, of two */
} DpJoined;

/*
 * A join on conditions (DpExpr). What follows from others is added where the rows
 * have no owner otherwise.
 */
extern const DpNode *dp_joins_make(const DpScope *scope, const DpJoined *joined,
								   List *conditions);

/* The rows of a node for which some conditions hold, too. */
extern const DpNode *dp_joins_filter(const DpNode *node, List *conditions);

/* Another node joined to one, behind whose columns stand the other's. */
extern const DpNode *dp_joins_add(const DpNode *node, const DpNode *other,
								  List *conditions);

/*
 * queries.c: entries of FROM
 */

/*
 * conditions: those that hold in all rows of FROM, Nodes as they are written:
 * some may be taken out, and policies of row-level security are added. attributes:
 * of each of the result's columns, what it is of the entry; 0: it is hidden.
 */
extern const DpNode *dp_queries_read_entry(DpScope *scope, int rtindex,
										   List **conditions,
										   const AttrNumber **attributes);

/*
 * A sub-query over protected relations, whatever view it may have come from.
 * by_value: the last columns are its units' values, of as many columns as they
 * have; else some columns may be hidden that name its units. visible: the number of
 * others.
 */
extern const DpNode *dp_queries_read(DpScope *around, int rtindex,
									 bool by_value, int *visible);

/*
 * views.c: a protected view, by value. Errors: object_not_in_prerequisite_state
 * where it no longer follows the rules, insufficient_privilege where it reads what
 * is not its owner's.
 */
extern const DpNode *dp_views_read(DpScope *around, int rtindex, Oid view,
								   int *visible);

/*
 * The rows of such a view, or of one that is to be protected, and of which a
 * column is said to be the unit; 0: whatever the unit is.
 */
extern const DpNode *dp_views_read_body(DpScope *around, int rtindex, Oid view,
										AttrNumber unit, int *visible);

/*
 * scans.c: protected relations
 */

/*
 * An entry of FROM. Its columns are those that the query names, and those that say
 * whose a row is: the unit's, what refers along a path, or of units that are rows
 * what identifies these. Error: object_not_in_prerequisite_state where its units,
 * or its path, are no longer what they were.
 */
extern const DpNode *dp_scans_read(DpScope *scope, int rtindex,
								   const AttrNumber **attributes);

/*
 * Refuses what may not be a member of its population, and what a protected view
 * may not lend: what is beneath is read by the right to ask about the view, which
 * the owner of the view's population gives. That right is to that owner's
 * populations, and to those of the view's owner, and spends no grant of others.
 */
extern void dp_scans_check_member(const DpPlanning *planning,
								  const DpProtection *protection);

/*
 * Owned rows with a name of their unit by its value, if they do not have one yet
 * and have one by a key. The columns that they had keep their numbers.
 */
extern const DpNode *dp_scans_follow(DpPlanning *planning, const DpNode *rows);

/*
 * premises.c: the shapes of what is read
 */

/*
 * Takes the shapes of everything that a query reads. Errors:
 * object_not_in_prerequisite_state where one has changed since it was parsed, or
 * has parts of other owners.
 */
extern void dp_premises_take(DpPlanning *planning, Query *query);

/* The same of a protected relation that the query does not name. */
extern void dp_premises_take_relation(DpPlanning *planning, Oid relation);

/*
 * publics.c: what is public
 */

/*
 * An entry of FROM (dp_gate_is_public); conditions as above: those of this entry
 * alone are applied to the copy. Its columns are those that the query names.
 */
extern const DpNode *dp_publics_read(DpScope *scope, int rtindex,
									 List **conditions,
									 const AttrNumber **attributes);

/* A sub-query in an expression, with all of its columns; EXISTS may have none. */
extern const DpNode *dp_publics_read_query(DpScope *scope, Query *query);

/* One row without columns: what a query without FROM reads. */
extern const DpNode *dp_publics_read_nothing(void);

/*
 * outputs.c: what a query puts out
 */

/* What becomes of the unit. */
typedef enum DpUnitOutput
{
	DP_UNIT_ALONG, /* columns that name it, behind those that are seen, if it is not among them */
	DP_UNIT_LAST, /* its value is last, seen before or not */
	DP_UNIT_OUTSIDE /* whoever reads the query has seen to it that all is of one unit */
} DpUnitOutput;

/*
 * Reads what scope->query puts out of its rows, scope->row: GROUP BY, HAVING, window
 * functions and DISTINCT. ORDER BY means nothing.
 */
extern const DpNode *dp_outputs_read(DpScope *scope, DpUnitOutput unit);

#endif
