/*
 * rewrite.h
 *		Questions that are asked in the server's own aggregates.
 *
 * Where rows of a protected relation are kept back (gate/relations/kept_back.h),
 * a query with count, sum or avg over them can only be meant as a private one:
 * its aggregates become the private ones before it is looked at as a block. So
 * everything that holds for these holds for it, and it is the same question.
 *
 * Of nested queries, the block is the outermost one with aggregates, GROUP BY
 * or DISTINCT. Sub-queries in it whose keys show that they only combine rows
 * of one privacy unit are read as rows, and their aggregates stay exact
 * (gate/read/entries.c). Sub-queries that combine rows of
 * several units are blocks themselves, and the query around them works on
 * released values.
 */
#ifndef DP_GATE_READ_REWRITE_H
#define DP_GATE_READ_REWRITE_H

#include "nodes/parsenodes.h"

/*
 * Rewrites a statement, whose functions in FROM have been replaced by their
 * queries. Queries without rows are emptied (gate/read/probe.h). A picture
 * must be open. Returns true if anything was changed.
 *
 * Errors: insufficient_privilege for aggregates that have no private form,
 * feature_not_supported for clauses that cannot be asked; with a hint.
 */
extern bool dp_rewrite_statement(Query *query);

#endif
