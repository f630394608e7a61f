/*
 * step.h
 *		Points in a charge at which a test may stop a process.
 *
 * They exist only in the library that `make steps` builds (DP_STEPS);
 * elsewhere they compile to nothing.
 */
#ifndef DP_LEDGER_STEP_H
#define DP_LEDGER_STEP_H

#ifdef DP_STEPS

/*
 * Waits while there is a file of that name in the directory dp_noise_steps of
 * the data directory, and says so by a file NAME.reached with the process's
 * number. Reacts to no signal but those that end the process by themselves, so
 * it may stand anywhere, under locks too.
 */
extern void dp_step(const char *name);

#define DP_STEP(name) dp_step(name)
#else
#define DP_STEP(name) ((void) 0)
#endif

#endif
