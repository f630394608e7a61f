/*
 * spin.h
 *		Short waits without sleep.
 *
 * Putting a process to sleep and waking it takes each side of an exchange
 * longer than half of a charge. So on servers with more than one processor, a
 * single waiting process stays awake for about as long as a charge takes. If
 * several wait, the processors have other work, and nobody spins.
 */
#ifndef DP_LEDGER_SPIN_H
#define DP_LEDGER_SPIN_H

/*
 * Looks again and again, for this many microseconds at most, whether something
 * has happened. It may look without the lock: what it sees is a hint.
 */
extern void dp_spin(bool (*has_happened)(void *), void *argument,
					int microseconds);

#endif
