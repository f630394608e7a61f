/*
 * relations.h
 *		Whose rows a block reads, and what its columns are.
 *
 * Each row of a block's FROM is owned by one privacy unit
 * (gate/question/rows/rows.h). This is the result of finding the owners: the
 * protected relations that the block reads anywhere, whose populations are
 * charged for the question, and the columns that identify the owner.
 */
#ifndef DP_GATE_QUESTION_RELATIONS_RELATIONS_H
#define DP_GATE_QUESTION_RELATIONS_RELATIONS_H

#include "nodes/parsenodes.h"

/* Part of nodes of plans. */
typedef struct DpRelations
{
	/* Of the protected relations, each once, side by side. */
	List *oids;
	List *members;		/* their numbers as members, integers */
	List *unit_columns; /* columns of privacy units, integers; 0: the row;
					   * DP_UNIT_BY_PATH */
	List *paths;		/* those, as texts: String; empty for others */

	/* Protected views through which they are read; their columns, as above. */
	List *views;			 /* oids, each once */
	List *view_members;		 /* as above */
	List *view_unit_columns; /* integers; 0: whatever the unit of its rows is */
	List *beneath;	/* of both, what is read through such views alone */
	List *followed; /* what is read along paths alone, to find units */
	int view_depth; /* views that are being read; not in plans */

	/*
	 * Owners of populations that the outermost of these views may lend; NIL:
	 * any. Not in plans.
	 */
	List *lenders;

	/* Of all of them: each pays once. Integers, ascending. */
	List *populations;

	Query *frame; /* FROM and conditions, to which columns refer */
	List *
		unit; /* the columns of it that identify a row's unit: Var; NIL: each row is another unit's */
	List *certain;	 /* beside: integers, 1 where no row has a null in it */
	List *alike;	 /* columns that equal the unit in every row: Var */
	List *publics;	 /* what is public in it: DpPublic, see
					 * gate/question/relations/publics.h */
	List *constants; /* values that are found first: Query; not in plans */
	List *constant_numbers; /* beside: of the parameters that stand for them */
	bool several;			/* a privacy unit may have several rows */
	bool one_row;			/* but it has one row in each group: unit_rows.h */
	bool one_group;			/* and it is in one group */
	bool exchanges; /* a row of one relation may replace one of another */
} DpRelations;

/* Lists copied as by copyObject. */
extern DpRelations dp_gate_copy_relations(const DpRelations *relations);

/*
 * Adds a protected relation or view, if it is not there yet. Errors: those of
 * dp_gate_check_member; insufficient_privilege where it is beneath a view that
 * may not lend it.
 */
extern void dp_gate_add_relation(DpRelations *relations, Oid relation);
extern void dp_gate_add_view(DpRelations *relations, Oid view);

/* Adds a relation that a path leads to: nobody needs a right to ask about it. */
extern void dp_gate_follow_relation(DpRelations *relations, Oid relation);

/*
 * Everything protected that the question reads: views first, and at the very
 * first something that it names.
 */
extern List *dp_gate_all_read(const DpRelations *relations);

/* Whether one of them is read through views alone, and not named. */
extern bool dp_gate_is_beneath(const DpRelations *relations, Oid relation);

/* Those of them that the question names itself. */
extern List *dp_gate_named(const DpRelations *relations);

/* The number, as a member, of a relation that is no view. */
extern int dp_gate_member_of(const DpRelations *relations, Oid relation);

/* Its unit's column; 0: the row; DP_UNIT_BY_PATH, and the path as a text. */
extern AttrNumber dp_gate_unit_of(const DpRelations *relations, Oid relation);
extern char *dp_gate_path_of(const DpRelations *relations, Oid relation);

/*
 * The protected relation and column from which a column comes, through
 * sub-queries. False if it is computed, or public
 * (gate/question/relations/publics.h).
 */
extern bool dp_gate_protected_origin(const DpRelations *relations,
									 const Var *column, Oid *relation,
									 AttrNumber *attribute);

/*
 * The same for what is declared of a column: that may be a protected view's,
 * where something is declared of it there, or it is no column beneath.
 */
extern bool dp_gate_declared_origin(const DpRelations *relations,
									const Var *column, Oid *relation,
									AttrNumber *attribute);

/* True for a column that is the privacy unit of every row. */
extern bool dp_gate_is_unit(const DpRelations *relations, const Var *column);

/* True for one that is, or that is null: on an outer join's nullable side. */
extern bool dp_gate_is_unit_or_null(const DpRelations *relations,
									const Var *column);

/* Names of what the question names, for messages: "a, b". */
extern char *dp_gate_relation_names(const DpRelations *relations);

/*
 * A column, whatever type of the same bits it is read as; else NULL. Not where
 * the type or collation makes other values equal: as character, 'a' and 'a '
 * are equal, so units would be different ones.
 */
extern Var *dp_gate_column_of(Node *node);

/* Whether two are the same column. */
extern bool dp_gate_same_column(const Var *one, const Var *other);

#endif
