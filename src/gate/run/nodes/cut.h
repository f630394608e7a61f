/*
 * cut.h
 *		Cuts a statement where it reads a distributed relation alone.
 */
#ifndef DP_GATE_RUN_NODES_CUT_H
#define DP_GATE_RUN_NODES_CUT_H

#include "nodes/parsenodes.h"

#include "gate/bound/outline.h"

/*
 * The query of a statement, itself or a sub-query, that has a relation as all of its
 * FROM; NULL where there is none, or the statement reads the relation elsewhere, too.
 */
extern Query *dp_cut_reader(Query *statement, Oid relation);

typedef struct DpCut
{
	Query *reader;	  /* of a statement */
	Query *cut;		  /* in its place, over columns of what is asked */
	Query *rows;	  /* what nodes are asked */
	bool is_unfolded; /* each row as often as its last column says */
	DpNodeWork work;
} DpCut;

/*
 * Leaves to the nodes what they can do. shared: what was asked for other readers
 * before, which may get more columns. False where a reader needs what nodes cannot be
 * asked.
 */
extern bool dp_cut(const Query *reader, const DpOutline *outline, List **shared,
				   DpCut *cut);

#endif
