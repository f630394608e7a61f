/*
 * refusal.h
 *		Refuses a part of a statement, and says where it is written.
 */
#ifndef DP_GATE_QUESTION_RELATIONS_REFUSAL_H
#define DP_GATE_QUESTION_RELATIONS_REFUSAL_H

#include "server/compat.h"

/* Refuses a part of a query: feature_not_supported. location: or -1. */
pg_noreturn extern void dp_gate_refuse(const char *what, const char *hint,
									   int location);

/* For ereport: a position in the text of the statement being planned. */
extern int dp_gate_position(int location);

/* The text that positions refer to; returns the previous one. */
extern const char *dp_gate_set_query_text(const char *text);

#endif
