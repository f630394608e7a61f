/*
 * levels.h
 *		Privacy levels: questions that are answered at several of them.
 *
 * Where the owner declared levels (dp_noise.set_levels), counts and exact sums
 * are drawn at the highest level, and those of each lower level from the one
 * above, by adding noise (samplers/chain_step.h). So several roles together
 * learn no more than the highest level reveals. A role chooses its level by
 * epsilon. All levels together, the chain, are the draw that is stored, and
 * whoever asks gets a level of it (ledger/chain.h).
 *
 * levels: of epsilon, Float nodes, descending; NIL: none.
 */
#ifndef DP_GATE_BOUND_LEVELS_H
#define DP_GATE_BOUND_LEVELS_H

#include "nodes/primnodes.h"

#include "aggregates/call.h"
#include "aggregates/law.h"
#include "core/int128.h"
#include "gate/relations/relations.h"
#include "ledger/request.h"

/*
 * The calls that are computed for some aggregates: of those that are answered at
 * levels that of the highest one.
 */
extern List *dp_levels_calls(List *aggregates, List *levels);

/* True for a call that is answered at levels: a count or an exact sum. */
extern bool dp_levels_answer(const List *levels, const DpCall *call);

/*
 * Sets the mechanism of such a call, and leaves others as they are. Error:
 * invalid_parameter_value for another epsilon or another mechanism.
 */
extern void dp_levels_choose(const List *levels, const DpRelations *relations,
							 DpCall *call);

/* Sets what a charge says of the levels. */
extern void dp_levels_charge(const List *levels, const DpCall *call,
							 DpCharge *charge);

/* For EXPLAIN: "1, 0.5, 0.1". */
extern char *dp_levels_text(const List *levels);

/* The longest text of an answer, of a type, in bytes. */
extern Size dp_levels_text_max(const List *levels, const DpCall *call,
							   Oid type);

/* Sets the law of the answers at one level, from 0. */
extern void dp_levels_law(const List *levels, int level, const DpCall *call,
						  DpLaw *law);

/* What is added to the answers of the highest level. */
typedef struct DpLevelDraw
{
	int levels;		  /* How many levels there are. */
	int exponent;	  /* Steps are multiples of 2^exponent. */
	dp_int128 *steps; /* What each level adds, row by row. */
} DpLevelDraw;

/* Draws it for so many rows. */
extern DpLevelDraw dp_levels_draw(const List *levels, const DpCall *call,
								  int64 rows);

/* The answer of a row at a level, from that of the highest one. */
extern Datum dp_levels_answer_of(const DpLevelDraw *draw, int level, int64 row,
								 Oid type, Datum highest);

#endif
