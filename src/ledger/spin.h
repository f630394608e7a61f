/*
 * spin.h
 *		Short waits without sleep.
 *
 * To be put to sleep and woken takes each side of an exchange longer than half
 * of a charge. So whoever waits alone stays awake for about as long as a charge
 * takes, on servers with more than one processor. Where several wait there is
 * other work for the processors, and nobody spins.
 */
#ifndef DP_LEDGER_SPIN_H
#define DP_LEDGER_SPIN_H

/*
 * Looks again and again, for so many microseconds at most, whether something
 * has happened. It may look without the lock: what it sees is a hint.
 */
extern void dp_spin(bool (*has_happened)(void *), void *argument,
					int microseconds);

#endif
