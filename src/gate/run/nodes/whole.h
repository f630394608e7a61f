/*
 * whole.h
 *		Expressions over whole numbers, as nodes are asked to compute them.
 */
#ifndef DP_GATE_RUN_NODES_WHOLE_H
#define DP_GATE_RUN_NODES_WHOLE_H

#include "nodes/primnodes.h"

/* How the server computes with integers of a type. */
typedef struct DpWhole
{
	Oid type;
	Oid sum;
	Oid less;
	Oid minus;
} DpWhole;

extern const DpWhole dp_whole_narrow; /* integer */
extern const DpWhole dp_whole_wide;	  /* bigint */

/* Whether a type is one of integers. */
extern bool dp_whole_is_type(Oid type);

extern Node *dp_whole_number(const DpWhole *whole, int64 value);

/* A call of one of the server's functions. */
extern Node *dp_whole_call(Oid function, Oid result, List *args);

/*
 * An integer, of one of the server's types, as a whole number of another, which must
 * have room for it.
 */
extern Node *dp_whole_cast(const DpWhole *whole, Node *value);

/* CASE WHEN condition THEN result ... ELSE otherwise END */
extern Node *dp_whole_case(List *conditions, List *results, Node *otherwise);

/* An integer, brought between two others; null for null. */
extern Node *dp_whole_between(const DpWhole *whole, Node *value, int64 lower,
							  int64 upper);

#endif
