/*
 * protection.h
 *		What owners declared about relations, and what the catalogs say of
 *		their units.
 */
#ifndef DP_GATE_RELATIONS_PROTECTION_H
#define DP_GATE_RELATIONS_PROTECTION_H

#include "access/attnum.h"
#include "nodes/parsenodes.h"
#include "utils/relcache.h"

#include "gate/relations/definition.h"
#include "mechanisms/contribution.h"

/* The unit is found in another relation. */
#define DP_UNIT_BY_PATH (-2)

/* What the owner declared about a relation. */
typedef struct DpProtection
{
	Oid relation;

	/*
	 * Its definition in the catalogs when this was looked up; NULL: it was
	 * changing.
	 */
	DpDefinition *definition;
	bool is_protected; /* the rest holds only then */
	int32 member;	   /* its number in the extension's tables */
	int64 settings_version;

	/* The people whom it is about. */
	int32 population;
	Oid population_owner; /* InvalidOid: superusers alone */
	bool counts_rho;	  /* budgets of the population do (zcdp) */

	/* Neighbours, and the caps on a unit's rows and groups. */
	DpContribution contribution;
	uint32 people;		 /* that a group has at least which is shown; 1: any */
	AttrNumber unit;	 /* column of the privacy unit; 0: the row, of a
							* view whatever the unit of its rows is; -1: a
							* column that is no longer there; or
							* DP_UNIT_BY_PATH */
	List *path_columns;	 /* integers: what refers to ... */
	Oid path_relation;	 /* ... a row of another relation, whose unit is this
							* one's, ... */
	List *path_keys;	 /* ... by its key, integers beside the columns */
	bool unit_is_unique; /* the unit is the row, or no two rows have one */
	Oid unit_index;		 /* that says so of a column; else InvalidOid */
} DpProtection;

/*
 * The protection of a relation in the picture of the statement that is being
 * planned (gate/relations/picture.h), which must be open; valid as
 * long as that.
 */
extern const DpProtection *dp_protection_of(Oid relation);
extern bool dp_protection_exists(Oid relation);

/*
 * The protected view that an entry of a range table stands for; InvalidOid for
 * other entries.
 */
extern Oid dp_protection_view(const RangeTblEntry *rte);

/* True for a column that can never be null. */
extern bool dp_protection_is_not_null(Oid relation, AttrNumber column);

/*
 * Whether other tables may inherit from one, whose rows are read with its own:
 * its indexes and foreign keys say nothing of them. Partitions are bound by
 * them.
 */
extern bool dp_protection_has_heirs(Relation relation);

#endif
