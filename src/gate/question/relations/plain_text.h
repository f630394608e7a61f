/*
 * plain_text.h
 *		Texts of values that do not depend on a user's settings.
 */
#ifndef DP_GATE_QUESTION_RELATIONS_PLAIN_TEXT_H
#define DP_GATE_QUESTION_RELATIONS_PLAIN_TEXT_H

/*
 * Opens a level of settings under which values have texts with all digits, and
 * dates are ISO; to be ended by AtEOXact_GUC.
 */
extern int dp_gate_begin_plain_texts(void);

#endif
