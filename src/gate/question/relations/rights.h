/*
 * rights.h
 *		With whose rights what is beneath a release is planned and run.
 *
 * To plan a statement is to evaluate what the owners of its tables wrote:
 * predicates and expressions of indexes, CHECK constraints, partition keys,
 * expressions of statistics. So a statement over one owner's protected
 * relations is planned and run as that owner, restricted as the server
 * restricts functions of an index while that is built, and whatever it sets is
 * set back. A statement over copies reads nobody's relation.
 *
 * While anything is planned or run for a release, whoever's, no question can be
 * asked: its charge would be that of a user who has not asked it.
 */
#ifndef DP_GATE_QUESTION_RELATIONS_RIGHTS_H
#define DP_GATE_QUESTION_RELATIONS_RIGHTS_H

#include "postgres.h"

#include "gate/question/relations/subjects.h"

/* What was there before. */
typedef struct DpRights
{
	Oid user;
	int security;
	int nest;  /* level of settings */
	int depth; /* of what is beneath a release */
} DpRights;

/*
 * Who statements over protected relations are planned and run as: their one
 * owner; where they read copies, the current user.
 */
extern Oid dp_gate_reader(const DpSubjects *subjects, List *copies);

/* The same for the copy of that place, from 0: the owner of its relation. */
extern Oid dp_gate_copy_reader(const DpSubjects *subjects, int place);

/* Goes on as a role, restricted, with settings of its own. */
extern void dp_gate_begin_rights(DpRights *before, Oid role);

/*
 * Goes on as oneself, with settings of one's own: to plan and read what is
 * public.
 */
extern void dp_gate_begin_public(DpRights *before);

/* Ends one of these, and those begun meanwhile; to be called after errors. */
extern void dp_gate_end_rights(const DpRights *before);

/* Refuses to ask beneath a release: feature_not_supported. */
extern void dp_gate_refuse_nested(void);

#endif
