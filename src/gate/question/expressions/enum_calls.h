/*
 * enum_calls.h
 *		The order of enums and their casts, over protected rows.
 *
 * The server's functions look enum values up in a catalogue, and fail if one
 * is missing. So they do not run over rows: which labels lie above or below a
 * constant is found when a query is read, and a cast becomes a CASE over the
 * labels. A label that is added later takes effect when the query is planned
 * again.
 */
#ifndef DP_GATE_QUESTION_EXPRESSIONS_ENUM_CALLS_H
#define DP_GATE_QUESTION_EXPRESSIONS_ENUM_CALLS_H

#include "nodes/primnodes.h"

/* x < constant and the like; a cast of an enum to a text, or back. */
extern bool dp_gate_is_enum_call(Node *node);

/* The same by comparisons for equality alone. */
extern Node *dp_gate_enum_form(Node *call);

/* True for < and the like of enums, whatever is compared. */
extern bool dp_gate_is_enum_order(Oid function);

#endif
