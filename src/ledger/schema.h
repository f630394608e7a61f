/*
 * schema.h
 *		Where the ledger's tables, sequences and indexes are.
 *
 * Nobody but their owner may use that schema, so that commands which lock a
 * table before they ask for a privilege (CREATE RULE, CREATE TRIGGER, REFERENCES)
 * find none of them by name.
 */
#ifndef DP_LEDGER_SCHEMA_H
#define DP_LEDGER_SCHEMA_H

#define DP_LEDGER_SCHEMA "dp_noise_ledger"

#endif
