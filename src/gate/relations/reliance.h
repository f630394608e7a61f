/*
 * reliance.h
 *		What a release relies on: the settings and the definitions of relations.
 *
 * A plan may be run long after it was made, by a cursor for instance, and
 * user-defined code may run in between. So a release carries what was read
 * when it was planned: the version of the settings of each relation in the
 * question, which the ledger compares before it charges; which of the other
 * relations in the statement were not protected; and the definitions of both.
 */
#ifndef DP_GATE_RELATIONS_RELIANCE_H
#define DP_GATE_RELATIONS_RELIANCE_H

#include "nodes/extensible.h"

#include "gate/relations/definition.h"
#include "gate/relations/relations.h"

/* The type among extensible nodes. */
#define DP_RELIANCE_NAME "DP Reliance"

/* Part of a plan. */
typedef struct DpReliance
{
	ExtensibleNode extensible;
	Oid relation;
	int64 settings_version; /* 0: it was not protected */
	int32 population;
	Oid unit_index;			  /* InvalidOid: none */
	DpDefinition *definition; /* NULL: it changed while it was read */
} DpReliance;

/*
 * What a block over some relations relies on, by the picture of the statement
 * that is being planned: DpReliance.
 */
extern List *dp_reliance_of_all(const DpRelations *relations);

/* That on one of the relations of the question. */
extern const DpReliance *dp_reliance_on(const List *reliances, Oid relation);

/*
 * Raises an error if the definition of a relation has changed, or, in the
 * second function, if it has been protected since. Errors:
 * object_not_in_prerequisite_state.
 */
extern void dp_reliance_check_definitions(const List *reliances);
extern void dp_reliance_check(const List *reliances);

/* Registers the node; called from dp_release_path_init. */
extern void dp_reliance_init(void);

#endif
