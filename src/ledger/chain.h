/*
 * chain.h
 *		Answers to one question at several privacy levels, as one value.
 *
 * They are drawn together (samplers/chain_step.h) and stored together, once for all
 * roles that ask; each role reads its own level.
 */
#ifndef DP_LEDGER_CHAIN_H
#define DP_LEDGER_CHAIN_H

#include "lib/stringinfo.h"

/* Joins the answers of all levels, from the highest, as bytes. */
extern StringInfo dp_chain_join(const StringInfo *levels, uint32 count);

/*
 * The answer of one level (from 0) and its size, in place. Error:
 * data_corrupted where the bytes are no chain that has it.
 */
extern char *dp_chain_level(char *chain, uint32 size, uint32 level,
							uint32 *level_size);

#endif
