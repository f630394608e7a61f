/*
 * refusal.h
 *		Refuses a part of a statement, and says where it is written.
 */
#ifndef DP_GATE_RELATIONS_REFUSAL_H
#define DP_GATE_RELATIONS_REFUSAL_H

#include "server/compat.h"

/* Refuses a part of a query: feature_not_supported. location: or -1. */
pg_noreturn extern void dp_refusal_raise(const char *what, const char *hint,
										 int location);

/*
 * A position in the text of the statement being planned, as errposition() takes
 * it: from 1, or 0 if it is unknown. dp_refusal_position is for use in ereport().
 */
extern int dp_refusal_cursor(int location);
extern int dp_refusal_position(int location);

/* The text that positions refer to; returns the previous one. */
extern const char *dp_refusal_set_query_text(const char *text);

#endif
