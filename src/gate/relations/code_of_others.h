/*
 * code_of_others.h
 *		Which public parts of a protected view may run another user's code.
 *
 * Whoever asks about a protected view names none of what it reads, and reads
 * what is public in it with their own rights. So neither its sub-queries nor
 * its conditions on public relations may run code that another user wrote: in
 * a function, in a cast, in the check of a domain. What is not known to run
 * none is taken to run some.
 */
#ifndef DP_GATE_RELATIONS_CODE_OF_OTHERS_H
#define DP_GATE_RELATIONS_CODE_OF_OTHERS_H

#include "nodes/primnodes.h"

typedef enum DpCodeOfOthers
{
	DP_NO_CODE,
	DP_CODE_IN_FUNCTION, /* one that is a user's, or may call such */
	DP_CODE_IN_TYPE,	 /* makes a value of a user's type */
	DP_CODE_IN_CAST		 /* casts a value of a user's type, or prints it */
} DpCodeOfOthers;

/* What a node itself may run, without the nodes beneath it. */
extern DpCodeOfOthers dp_code_of_others(Node *node);

/* Whether an expression without sub-queries may run such code anywhere. */
extern bool dp_code_is_of_others(Node *expression);

/* Whether a node itself calls a function that a user has defined. */
extern bool dp_code_calls_users(Node *node);

#endif
