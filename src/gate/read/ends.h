/*
 * ends.h
 *		Ends of intervals that a block asks for: dp_low and dp_high.
 *
 * Each stands for a column of the released rows, after those of the
 * aggregates. The release computes it from the answer and from what is public
 * about its noise (gate/release/intervals.h): nothing is asked, charged or
 * drawn for it, and the question is the same with or without it.
 *
 * So does a count by which something is divided: where it cannot be told from none,
 * the quotient is NULL (gate/release/empty_groups.h).
 */
#ifndef DP_GATE_READ_ENDS_H
#define DP_GATE_READ_ENDS_H

#include "nodes/extensible.h"
#include "nodes/parsenodes.h"

#include "server/compat.h"

/* The type among extensible nodes. */
#define DP_ENDS_NAME "DP Ends"

/* What such a column is. */
#define DP_ENDS_LOW 0
#define DP_ENDS_HIGH 1
#define DP_ENDS_DIVISOR \
	2 /* the answer itself, where it can be told from none */

/* The ends that a block asks for, each once: part of a plan. */
typedef struct DpEnds
{
	ExtensibleNode extensible;
	List *aggnos; /* integers: of the aggregates */
	List *sides;  /* parallel: DP_ENDS_... */
	List *levels; /* parallel: expressions, folded, without columns */
	List *types;  /* parallel: of the answers, as null constants of them */
} DpEnds;

extern DpEnds *dp_ends_make(void);

/* True for a call of dp_low or dp_high. */
extern bool dp_ends_is_call(Node *node);

/*
 * The aggregate of such a call, around which there may be casts. level: that
 * of the call, checked as far as it is known, or the default. Errors:
 * feature_not_supported where the argument is no aggregate;
 * invalid_parameter_value (level); with a position and a hint.
 */
extern Aggref *dp_ends_aggregate(FuncExpr *call, Node **value, Node **level);

/* Which end a call is of. */
extern int dp_ends_side(const FuncExpr *call);

/*
 * The number of an end among those of a block, from 0; it is added if need be.
 */
extern int dp_ends_add(DpEnds *ends, int side, Aggref *aggref, int aggno,
					   Node *level);

/* Whether a node is a division by an operator of the server's. */
extern bool dp_ends_is_division(Node *node);

/*
 * The noisy count by which something is divided, beneath casts and NULLIF, of a
 * division's node; NULL: there is none. level: for dp_ends_add.
 */
extern Aggref *dp_ends_divisor(Node *node, Node **level);

/*
 * Refuses a call that is left in a statement with releases, whose answers would
 * be charged before the call fails. Error: feature_not_supported.
 */
pg_noreturn extern void dp_ends_refuse(const FuncExpr *call);

/* Refuses an invalid level. Error: invalid_parameter_value. */
extern void dp_ends_check_level(double level, int location);

/* Registers the node; called from dp_release_path_init. */
extern void dp_ends_init(void);

#endif
