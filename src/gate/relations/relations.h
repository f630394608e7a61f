/*
 * relations.h
 *		Whose rows a block reads, and what its columns are.
 *
 * Each row of a block's FROM is owned by one privacy unit
 * (gate/facts/owner.h). This is the result of finding the owners: the
 * protected relations that the block reads anywhere, whose populations are
 * charged for the question, and the columns that identify the owner.
 */
#ifndef DP_GATE_RELATIONS_RELATIONS_H
#define DP_GATE_RELATIONS_RELATIONS_H

#include "nodes/parsenodes.h"

/* Part of nodes of plans. */
typedef struct DpRelations
{
	/* Of the protected relations, each once, side by side. */
	List *oids;
	List *unit_columns; /* columns of privacy units, integers; 0: the row;
						 * DP_UNIT_BY_PATH */
	List
		*paths; /* parallel: the path to the unit as a text, String; empty where
						 * there is none */

	/* Protected views through which they are read; their columns, as above. */
	List *views;			 /* oids, each once */
	List *view_unit_columns; /* integers; 0: whatever the unit of its rows is */
	List *beneath; /* those oids and views that are read through protected views
					 * alone */
	List *followed; /* what is read along paths alone, to find units */

	/* Of all of them: each pays once. Integers, ascending. */
	List *populations;

	Query *frame;	/* FROM and conditions, to which columns refer */
	List *unit;		/* the columns of it that identify a row's unit: Var; NIL:
				   * each row is another unit's */
	List *certain;	/* parallel: integers, 1 where no row has a null in it */
	List *publics;	/* what is public in it: DpPublic, see
					* gate/relations/publics.h */
	bool several;	/* a privacy unit may have several rows */
	bool one_row;	/* it has at most one row in each group */
	bool one_group; /* it is in at most one group */
	bool exchanges; /* neighbours may have a row of another relation in place
					 * of one */
} DpRelations;

/* Lists copied as by copyObject. */
extern DpRelations dp_relations_copy(const DpRelations *relations);

/*
 * Adds a protected relation or view that the reader has found, if it is not there
 * yet. is_named: by the question itself, and not through views. is_followed: by a
 * path that leads to it, so that nobody needs a right to ask about it.
 */
extern void dp_relations_add(DpRelations *relations, Oid relation,
							 bool is_named, bool is_followed);
extern void dp_relations_add_view(DpRelations *relations, Oid view,
								  bool is_named);

/*
 * Everything protected that the question reads: views first, and at the very
 * first something that it names.
 */
extern List *dp_relations_all_read(const DpRelations *relations);

/* Whether one of them is read through views alone, and not named. */
extern bool dp_relations_is_beneath(const DpRelations *relations, Oid relation);

/* Those of them that the question names itself. */
extern List *dp_relations_named(const DpRelations *relations);

/* The path to a relation's unit as a text; empty where it has none. */
extern char *dp_relations_path_of(const DpRelations *relations, Oid relation);

/* Names of what the question names, for messages: "a, b". */
extern char *dp_relations_names(const DpRelations *relations);

/*
 * A column, whatever type of the same bits it is read as; else NULL. Not where
 * the type or collation makes other values equal: as character, 'a' and 'a '
 * are equal, so units would be different ones.
 */
extern Var *dp_relations_column_of(Node *node);

#endif
