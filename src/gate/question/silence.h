/*
 * silence.h
 *		Reading protected rows without telling of it.
 */
#ifndef DP_GATE_QUESTION_SILENCE_H
#define DP_GATE_QUESTION_SILENCE_H

/*
 * While protected rows are planned for or read: a level of settings under
 * which the server counts, reports and logs nothing of it, and takes memory
 * and chooses plans as its administrators have it (server/resources.h), not
 * as whoever asks. Returns the level, to be ended by AtEOXact_GUC.
 */
extern int dp_gate_begin_silence(void);

#endif
