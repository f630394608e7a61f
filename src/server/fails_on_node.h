/*
 * fails_on_node.h
 *		What a node of Citus must be like for a question's statements.
 */
#ifndef DP_SERVER_FAILS_ON_NODE_H
#define DP_SERVER_FAILS_ON_NODE_H

#include "postgres.h"

/* A schema's name as a number, which is the same on all nodes. */
extern int32 dp_schema_hash(const char *name);

#endif
