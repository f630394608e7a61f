/*
 * fill.h
 *		Values in place of expressions without columns, as an execution has them.
 */
#ifndef DP_GATE_FACTS_FILL_H
#define DP_GATE_FACTS_FILL_H

#include "nodes/params.h"
#include "nodes/primnodes.h"
#include "pgtime.h"

/* The values that an execution supplies. */
typedef struct DpExecution
{
	ParamListInfo params;
	pg_tz *zone; /* the session's: texts are made in another one */
} DpExecution;

/*
 * The value of an expression in an execution (DpExecution). Functions that can
 * fail give null then, as they do in the statement that reads the rows.
 *
 * Errors: undefined_object (a parameter has no value), datatype_mismatch.
 */
extern Const *dp_fill(Node *hole, void *execution);

/* A copy of an expression with values instead of query parameters. */
extern Node *dp_fill_params(Node *node, ParamListInfo params);

#endif
