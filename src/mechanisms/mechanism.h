/*
 * mechanism.h
 *		Mechanisms by name.
 */
#ifndef DP_MECHANISMS_MECHANISM_H
#define DP_MECHANISMS_MECHANISM_H

#include <stdbool.h>
#include <stdint.h>

typedef enum DpMechanism
{
	DP_AUTO,			   /* the best for the case, chosen from public facts */
	DP_LAPLACE,			   /* discrete Laplace on the value's grid */
	DP_GEOMETRIC,		   /* the same by its integer name */
	DP_STAIRCASE,		   /* staircase on the value's grid */
	DP_DISCRETE_STAIRCASE, /* the same by its integer name */
	DP_GAUSSIAN,		   /* discrete Gaussian; (epsilon, delta) */
	DP_EXPONENTIAL,		   /* exponential mechanism scored by rank */
	DP_ABOVE_THRESHOLD	   /* sparse vector over a coarse grid */
} DpMechanism;

/* What a staircase's first step minimises. */
typedef enum DpCost
{
	DP_COST_ABSOLUTE, /* E|X|, cost=l1 */
	DP_COST_SQUARED	  /* E X^2, cost=l2 */
} DpCost;

/* A mechanism with its parameters, as text such as 'staircase(gamma=0.3)'. */
typedef struct DpMechanismChoice
{
	DpMechanism mechanism;
	bool truncated;	   /* clamp the answer to what is possible */
	DpCost cost;	   /* staircases */
	double gamma;	   /* staircases: r/D in (0, 1]; 0: the optimum */
	double first_step; /* discrete staircase: r >= 1; 0: the optimum */
	double delta;	   /* gaussian: in (0, 1); 0: not given */
	double rank;	   /* exponential for max and min: >= 0; negative:
								 * the default */
} DpMechanismChoice;

/* What is wrong with a mechanism's text. */
typedef enum DpMechanismProblem
{
	DP_MECHANISM_VALID,
	DP_MECHANISM_UNKNOWN,	/* no mechanism of that name */
	DP_MECHANISM_SYNTAX,	/* not name or name(parameter=value, ...) */
	DP_MECHANISM_PARAMETER, /* not a parameter of this mechanism */
	DP_MECHANISM_VALUE		/* a parameter's value is out of range */
} DpMechanismProblem;

/*
 * Parses `name` or `name(parameter=value, ...)`; white space is free, names
 * are lower case; a parameter stands there once at most. Parameters: staircase gamma or cost (l1, l2);
 * discrete_staircase r, gamma or cost; gaussian delta; exponential rank. The
 * prefix truncated_ goes with laplace, geometric and staircase.
 */
extern DpMechanismProblem dp_mechanism_parse(const char *text,
											 DpMechanismChoice *choice);

/* The name of a mechanism, without truncated_; never NULL. */
extern const char *dp_mechanism_name(DpMechanism mechanism);

/* All names that dp_mechanism_parse knows, separated by ", ". */
extern const char *dp_mechanism_names(void);

#endif
