/*
 * drops.h
 *		What is checked before the ledger itself is dropped.
 */
#ifndef DP_LEDGER_DROPS_H
#define DP_LEDGER_DROPS_H

/* Installs the hook. */
extern void dp_drops_init(void);

#endif
