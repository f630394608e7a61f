/*
 * outlined.h
 *		What a question asks, as plans and the ledger need it.
 */
#ifndef DP_GATE_BOUND_OUTLINED_H
#define DP_GATE_BOUND_OUTLINED_H

#include "gate/bound/key.h"
#include "gate/bound/outline.h"
#include "gate/bound/written.h"

/*
 * The relations that it reads, whose populations are charged. written: its rows,
 * whose statement becomes the frame; copied: DpCopied, complete.
 */
extern void dp_outlined_relations(const DpQuestion *question,
								  const DpGrouping *grouping,
								  DpWritten *written, List *copied,
								  DpRelations *relations);

/* One of its keys, DpKey. */
extern DpKey *dp_outlined_key(const DpQuestion *question, int number,
							  DpWritten *written);

/*
 * Those of its keys that a grouping finds together, DpKeyTuples, by their places
 * among some numbers of keys.
 */
extern List *dp_outlined_tuples(const DpGrouping *grouping, List *numbers);

/*
 * Its aggregates, and what is known of them beside: whether the first argument has
 * a value in every row, what bounds follow from, their forms
 * (gate/facts/fingerprint.h). The outline has its keys.
 */
extern void dp_outlined_aggregates(const DpQuestion *question,
								   DpWritten *written, DpOutline *outline);

/* Equalities of units that nobody wrote, in words: String. */
extern List *dp_outlined_equated(const DpQuestion *question);

/*
 * Calls in it whose parameters could make them fail, as they are asked. Whoever
 * knows the values calls them with harmless ones in place of columns, so that an
 * error says nothing about a row.
 */
extern List *dp_outlined_probes(const DpQuestion *question);

/*
 * Whether what is public in it, or in the domains of keys, may be other rows for
 * other roles: then an answer is not shared.
 */
extern bool dp_outlined_is_of_role(const List *copied,
								   const DpOutline *outline);

#endif
