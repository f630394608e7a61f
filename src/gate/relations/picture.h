/*
 * picture.h
 *		What the gate reads of the extension's tables for one statement.
 *
 * A picture is opened, with a snapshot of its own, when the planning of a
 * statement begins, and closed when it ends. Each relation is looked up once,
 * under that snapshot, and the result is kept. So everything about a statement
 * is decided by the same settings, even if somebody changes them meanwhile.
 * Statements that are planned within another one have pictures of their own,
 * and cannot change the outer one.
 *
 * Whether a picture is still valid is checked where it matters: by the ledger,
 * which compares the versions of settings under the population's lock, and by
 * gate/relations/reliance.h.
 */
#ifndef DP_GATE_RELATIONS_PICTURE_H
#define DP_GATE_RELATIONS_PICTURE_H

#include "nodes/pg_list.h"
#include "utils/hsearch.h"
#include "utils/resowner.h"
#include "utils/snapshot.h"

#include "gate/relations/protection.h"

typedef struct DpPicture
{
	struct DpPicture *outer; /* of the statement that is planned around */
	MemoryContext context;	 /* of all that is here */
	Snapshot snapshot;		 /* registered */
	ResourceOwner owner;	 /* with which the snapshot is registered */
	HTAB *relations;		 /* of DpPictured */
	bool knows_extension;	 /* extension holds */
	Oid extension;			 /* this one; InvalidOid: it is not there */
	List *own_functions;	 /* oids: known to be the extension's */
	Oid member;				 /* of whom groups are known; else InvalidOid */
	List *groups;			 /* oids: it, and all roles that it is in */
} DpPicture;

/* A relation in it. */
typedef struct DpPictured
{
	Oid relation;
	bool is_known; /* the rest holds */
	DpProtection protection;
	List *levels;		/* of Float; NIL without */
	bool knows_columns; /* columns holds */
	List *columns;		/* what is declared of them: see declared.c */
	bool knows_budget;	/* has_budget holds */
	bool has_budget;	/* the session's user, for itself or in a group */
} DpPictured;

/*
 * Opens a picture on top of those that are open. The caller must close it,
 * after an error, too, before it does anything that must not see it.
 */
extern DpPicture *dp_picture_open(void);
extern void dp_picture_close(DpPicture *picture);

/* The one that was opened last. Error: internal, when there is none. */
extern DpPicture *dp_picture_current(void);

/* The same, or NULL. */
extern DpPicture *dp_picture_find(void);

/* The extension in it; InvalidOid: it is not there, and nothing is protected. */
extern Oid dp_picture_extension(DpPicture *picture);

/*
 * A relation in it; if it has not been looked up yet, the entry is still
 * empty.
 */
extern DpPictured *dp_picture_find_relation(DpPicture *picture, Oid relation);

/* A relation in the one that was opened last, filled in (protection.c). */
extern DpPictured *dp_picture_relation(Oid relation);

#endif
