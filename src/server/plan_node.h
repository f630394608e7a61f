/*
 * plan_node.h
 *		Nodes of this extension's own that plans carry.
 *
 * They are copied with cached plans. They are never written out: a printed plan
 * must not show what is beneath a release.
 */
#ifndef DP_SERVER_PLAN_NODE_H
#define DP_SERVER_PLAN_NODE_H

#include "nodes/extensible.h"

/* Registers a type, once. copy: all fields but the first. */
extern void dp_plan_node_register(const char *name, Size size,
								  void (*copy)(ExtensibleNode *to,
											   const ExtensibleNode *from));

/* A node of a type, all other fields zero. */
extern void *dp_plan_node_make(const char *name, Size size);

#endif
