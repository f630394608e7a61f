/*
 * user_code.h
 *		Refuses inner statements that would run a user's code.
 */
#ifndef DP_GATE_RUN_USER_CODE_H
#define DP_GATE_RUN_USER_CODE_H

#include "nodes/parsenodes.h"

/*
 * Makes sure, once more, that a statement that will run as an owner calls no
 * functions but the server's and this extension's, anywhere in it: planning
 * evaluates some of them. Error: internal_error.
 */
extern void dp_user_code_refuse(Query *query);

#endif
