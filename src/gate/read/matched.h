/*
 * matched.h
 *		Public rows LEFT JOIN owned ones, and FULL JOIN.
 *
 * In SQL the result has a public row without a match once, with nulls beside it.
 * Whether it is there depends on people, of whom it is none's; so it is not there
 * (gate/facts/owner.h). Nobody can tell where
 *
 * - each aggregate skips it, since what it counts, or its filter, is null or not
 *   true wherever the owned columns are null: count(visits.pid), not count(*);
 * - its group is there anyway, as the public values of a key are: those of the
 *   left side, which the join's conditions do not narrow;
 * - it stands in the question's own FROM, where nothing else could count it.
 *
 * So owned rows FULL JOIN public ones are what they are LEFT JOIN these, beside the
 * same aggregates: the other way round it is read so, too.
 */
#ifndef DP_GATE_READ_MATCHED_H
#define DP_GATE_READ_MATCHED_H

#include "gate/tree/node.h"

/*
 * Refuses aggregates of a question (DpAsked) that would count public rows without
 * a match. rows: of its FROM.
 */
extern void dp_matched_check(const DpNode *rows, const List *aggregates);

/* Refuses the join itself. */
extern void dp_matched_refuse(int location);

#endif
