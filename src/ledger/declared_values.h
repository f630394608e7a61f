/*
 * declared_values.h
 *		The types whose values an owner may declare.
 */
#ifndef DP_LEDGER_DECLARED_VALUES_H
#define DP_LEDGER_DECLARED_VALUES_H

/*
 * True for booleans, integers, numeric, texts, dates and times, uuid and enums:
 * types whose texts are read, written and compared by the server's own
 * functions alone. False for domains; pass what is beneath.
 */
extern bool dp_values_can_be_declared(Oid type);

#endif
