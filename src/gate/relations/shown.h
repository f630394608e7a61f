/*
 * shown.h
 *		Which public rows whoever asks may see.
 *
 * A view lends its owner's rights on what it reads, but only for the rows and
 * columns that it shows. Where its query is taken apart, what stood beneath it
 * must not be shown as a whole: neither as values of keys, nor to functions of
 * whoever asks.
 */
#ifndef DP_GATE_RELATIONS_SHOWN_H
#define DP_GATE_RELATIONS_SHOWN_H

#include "nodes/parsenodes.h"

/*
 * True for an entry of a query's range table all of which the current user may
 * read: as part of the query, or else by own privileges on all of its columns
 * and rows. A view shows its rows, whatever it reads.
 */
extern bool dp_shown_is_shown(const Query *query, RangeTblEntry *rte);

/* The same of all that a query reads. */
extern bool dp_shown_all(Query *query);

/*
 * Whether a query may find other rows for one role than for another, as far as
 * the relations that it reads decide that.
 */
extern bool dp_shown_is_of_role(Query *query);

#endif
