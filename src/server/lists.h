/*
 * lists.h
 *		Loops over lists that newer servers have.
 */
#ifndef DP_SERVER_LISTS_H
#define DP_SERVER_LISTS_H

#include "nodes/pg_list.h"

/* Walks over a list of pointers, each of which is a variable of the loop. */
#ifndef foreach_ptr
/* NOLINTBEGIN(bugprone-macro-parentheses): declarations have none */
#define foreach_ptr(type, var, list) \
	for (type *var = NULL, *var##__loop = (type *) 1; var##__loop != NULL; \
		 var##__loop = NULL) \
		for (ForEachState var##__state = {(list), 0}; \
			 var##__state.i < list_length(var##__state.l) && \
			 (var = list_nth(var##__state.l, var##__state.i), true); \
			 var##__state.i++)

/* The same of nodes, whose type is asserted. */
#define foreach_node(type, var, list) \
	for (type *var = NULL, *var##__loop = (type *) 1; var##__loop != NULL; \
		 var##__loop = NULL) \
		for (ForEachState var##__state = {(list), 0}; \
			 var##__state.i < list_length(var##__state.l) && \
			 (var = list_nth_node(type, var##__state.l, var##__state.i), \
			 true); \
			 var##__state.i++)
/* NOLINTEND(bugprone-macro-parentheses) */
#endif

#endif
