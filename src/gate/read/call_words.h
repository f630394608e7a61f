/*
 * call_words.h
 *		What a call is called in messages.
 */
#ifndef DP_GATE_READ_CALL_WORDS_H
#define DP_GATE_READ_CALL_WORDS_H

#include "nodes/nodes.h"

/* "LIKE", "function lower(text)", "a cast from text to integer". */
extern const char *dp_call_words(Node *node);

#endif
