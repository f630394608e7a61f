/*
 * from.h
 *		FROM and WHERE for the rows of a tree.
 *
 * Scans, what is public and joins stand side by side in one FROM; conditions of
 * inner joins are ANDed in WHERE. Groups, windows and unions are sub-queries in
 * FROM, so is what computes columns on the nullable side of a left join. Protected
 * relations are read with their owners' rights; of what is public its copy is
 * read, by a name (gate/relations/publics.h).
 */
#ifndef DP_GATE_BOUND_FROM_H
#define DP_GATE_BOUND_FROM_H

#include "gate/bound/written.h"

/* Writes them for some rows. copied: a list to add to. */
extern DpWritten *dp_from_write(const DpNode *rows, List **copied);

/* The number of a column of what is public in its copy, from 1. */
extern AttrNumber dp_from_attribute(const DpPublicRows *rows, int column);

#endif
