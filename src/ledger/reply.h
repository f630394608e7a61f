/*
 * reply.h
 *		Writing refusals.
 */
#ifndef DP_LEDGER_REPLY_H
#define DP_LEDGER_REPLY_H

#include "ledger/request.h"

/* Turns a reply into a refusal with an errcode and a message. */
extern void dp_reply_refuse(DpReply *reply, int sqlstate, const char *message,
							...) pg_attribute_printf(3, 4);

#define dp_reply_detail(reply, ...) \
	snprintf((reply)->detail, sizeof((reply)->detail), __VA_ARGS__)
#define dp_reply_hint(reply, ...) \
	snprintf((reply)->hint, sizeof((reply)->hint), __VA_ARGS__)

#endif
