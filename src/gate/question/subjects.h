/*
 * subjects.h
 *		The protected relations that a block asks about.
 *
 * There is one, or there are several that are joined by equality of their
 * privacy units. Then all rows that come of one unit's rows are that unit's,
 * whatever table they are from, and every relation pays for what is asked.
 */
#ifndef DP_GATE_QUESTION_SUBJECTS_H
#define DP_GATE_QUESTION_SUBJECTS_H

#include "nodes/parsenodes.h"

/* Lists side by side, the relations in the order of FROM, but a preserved one
 * first. Nodes of plans hold it. */
typedef struct DpSubjects
{
	List *relations;  /* oids */
	List *identities; /* their numbers in the extension's tables, integers */
	List *places;	  /* in the range table of the block, integers */
	List *units;	  /* columns of privacy units, integers; 0: the row */
	List *conditions; /* of the outer join on whose nullable side one is: a
					   * list, ANDed; NULL for others */
	bool several;	  /* a privacy unit may have several rows */
} DpSubjects;

/*
 * The protected relations that a query's FROM names, by themselves or in
 * joins: all but their conditions and `several`. Empty when there is none.
 */
extern DpSubjects dp_gate_find_subjects(Query *query);

/* Lists copied as by copyObject. */
extern DpSubjects dp_gate_copy_subjects(const DpSubjects *subjects);

/* True when they have a place of the range table. */
extern bool dp_gate_has_subject(const DpSubjects *subjects, Index place);

/* The relation of a column of theirs. */
extern Oid dp_gate_relation_of(const DpSubjects *subjects, const Var *column);

/* Its number in the extension's tables. */
extern int dp_gate_identity_of(const DpSubjects *subjects, const Var *column);

/* True for the column that is the privacy unit of its relation. */
extern bool dp_gate_is_unit(const DpSubjects *subjects, const Var *column);

/* True on the nullable side of an outer join. */
extern bool dp_gate_is_nullable(const DpSubjects *subjects, const Var *column);

/* True for a column that is not null in any row that counts. */
extern bool dp_gate_is_never_null(const DpSubjects *subjects,
								  const Var *column);

/* The relations' names, for messages: "a, b". */
extern char *dp_gate_subject_names(const DpSubjects *subjects);

/* A column, whatever type of the same bits it is read as; else NULL. */
extern Var *dp_gate_column_of(Node *node);

#endif
