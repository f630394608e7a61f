/*
 * conditions.h
 *		Conditions on one relation, in statements that read several, or one twice.
 */
#ifndef DP_GATE_RUN_NODES_CONDITIONS_H
#define DP_GATE_RUN_NODES_CONDITIONS_H

#include "nodes/parsenodes.h"

/*
 * Pure conditions that all rows of a relation meet wherever some statements use them,
 * with its columns as those of entry 1; as nodes are asked (node_asked.h). They stay in the
 * statements, too. statements: of Query, NULL left out.
 */
extern List *dp_conditions_on(Oid relation, List *statements);

#endif
