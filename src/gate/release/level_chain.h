/*
 * level_chain.h
 *		The draw of a question with privacy levels.
 *
 * All levels together, the chain, are the draw that is stored, for all roles,
 * and each role gets its own level of it (ledger/chain.h). Its room is found
 * before the charge, from the keys of the rows alone, which are public: a chain
 * that is not stored would be drawn again, and its actual length would reveal
 * something about its values.
 */
#ifndef DP_GATE_RELEASE_LEVEL_CHAIN_H
#define DP_GATE_RELEASE_LEVEL_CHAIN_H

#include "lib/stringinfo.h"

#include "gate/release/price.h"

/*
 * Adds the greatest size, in bytes, of a question's chain to *size, and refuses
 * more than can be stored: program_limit_exceeded. Empties the aggregate's
 * column.
 */
extern void dp_level_chain_check(const DpPricedCharge *priced, Size *size);

/* A whole chain, from the answers of the highest level, which were computed. */
extern StringInfo dp_level_chain_draw(const DpPricedCharge *priced);

#endif
