/*
 * old_relations.h
 *		What the old reading knows of relations; to be deleted with it.
 */
#ifndef DP_GATE_QUESTION_RELATIONS_OLD_RELATIONS_H
#define DP_GATE_QUESTION_RELATIONS_OLD_RELATIONS_H

#include "gate/question/relations/relations.h"

/*
 * Adds a protected relation or view, if it is not there yet. Errors: those of
 * dp_gate_check_member; insufficient_privilege where it is beneath a view that
 * may not lend it.
 */
extern void dp_gate_add_relation(DpRelations *relations, Oid relation);
extern void dp_gate_add_view(DpRelations *relations, Oid view);

/* Adds a relation that a path leads to: nobody needs a right to ask about it. */
extern void dp_gate_follow_relation(DpRelations *relations, Oid relation);

/* The number, as a member, of a relation that is no view. */
extern int dp_gate_member_of(const DpRelations *relations, Oid relation);

/* Its unit's column; 0: the row; DP_UNIT_BY_PATH, and the path as a text. */
extern AttrNumber dp_gate_unit_of(const DpRelations *relations, Oid relation);

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

/* Whether two are the same column. */
extern bool dp_gate_same_column(const Var *one, const Var *other);

/* The first entry of a query's FROM that is a relation; else the query. */
extern int dp_gate_location_of_relation(Query *query, Oid relation);

#endif
