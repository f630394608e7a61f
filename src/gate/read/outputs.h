/*
 * outputs.h
 *		Reads what a query puts out of its rows: groups, windows, distinct rows.
 *
 * These make one row of many. If all of them belong to one unit, the result does,
 * too. So the keys must determine the unit. It is added to the keys, so that
 * no group can contain two units, whatever the rows hold, and to what is put out,
 * so that the query around knows the owner.
 */
#ifndef DP_GATE_READ_OUTPUTS_H
#define DP_GATE_READ_OUTPUTS_H

#include "gate/read/scope.h"

/* What becomes of the unit. */
typedef enum DpUnitOutput
{
	DP_UNIT_ALONG, /* columns that name it, behind those that are seen, if it is not among them */
	DP_UNIT_LAST, /* its value is last, seen before or not */
	DP_UNIT_OUTSIDE /* whoever reads the query has seen to it that all is of one unit */
} DpUnitOutput;

/*
 * Reads what scope->query puts out of its rows, scope->row. ORDER BY means nothing.
 * Errors: feature_not_supported for groups, distinct rows or windows of several
 * units, of types whose equal values can be told apart, and in an order that
 * does not tell rows apart.
 */
extern const DpNode *dp_outputs_read(DpScope *scope, DpUnitOutput unit);

/* What is read, step by step. */
typedef struct DpOutputs
{
	DpScope *scope;
	DpUnitOutput unit;
	const DpNode *rows; /* as far as they are made */
	List *entries;		/* of what is put out or grouped by: TargetEntry */
	List *exprs;		/* beside: of const DpExpr, over the rows */
} DpOutputs;

/*
 * For groups and windows: adds columns of the unit to keys (DpExpr) that determine
 * it, so that each is of one unit. what: "DISTINCT" ...; location: for the message.
 */
extern List *dp_outputs_add_unit(const DpOutputs *outputs, List *keys,
								 const char *what, int location);

/*
 * Adds the facts to a node of a query, and refuses it if its rows depend on the order
 * of others.
 */
extern const DpNode *dp_outputs_add_facts(DpNode *node);

/* The expressions of SortGroupClauses. */
extern List *dp_outputs_of_clauses(const DpOutputs *outputs, List *clauses);

#endif
