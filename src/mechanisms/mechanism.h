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
	DP_EXPONENTIAL,		   /* exponential mechanism, scored by rank or count */
	DP_ABOVE_THRESHOLD,	   /* sparse vector over a coarse grid */
	DP_TWO_STAGE,		   /* a few public levels, geometric noise among them */
	DP_SMOOTH_CAUCHY,	   /* Cauchy noise scaled to smooth sensitivity */
	DP_SMOOTH_LAPLACE,	   /* Laplace noise likewise; (epsilon, delta) */
	DP_PERMUTE_AND_FLIP,   /* selection by counts, in random order */
	DP_ABSTRACT_STAIRCASE, /* selection by counts, staircase weights */
	DP_MECHANISM_END	   /* how many there are */
} DpMechanism;

/* Noise that is added to an answer: its law, by whatever name it is asked for. */
typedef enum DpNoiseKind
{
	DP_NOISE_NONE, /* no such noise, or none that is chosen yet */
	DP_NOISE_LAPLACE,
	DP_NOISE_STAIRCASE,
	DP_NOISE_GAUSSIAN
} DpNoiseKind;

/* What a staircase's first step minimises. */
typedef enum DpCost
{
	DP_COST_ABSOLUTE, /* E|X|, cost=l1 */
	DP_COST_SQUARED	  /* E X^2, cost=l2 */
} DpCost;

/* How epsilon is shared between shift and scale of smooth sensitivity. */
typedef enum DpConstants
{
	DP_CONSTANTS_TIGHT, /* constants=tight: all of epsilon is used */
	DP_CONSTANTS_NRS	/* constants=nrs: those first published */
} DpConstants;

#define DP_LEVELS_MAX 100
#define DP_LEVELS_DEFAULT 3

/* A mechanism with its parameters, as text such as 'staircase(gamma=0.3)'. */
typedef struct DpMechanismChoice
{
	DpMechanism mechanism;
	bool truncated;	   /* clamp the answer to what is possible */
	bool by_rho;	   /* auto: all payers count rho (zcdp.h) */
	DpCost cost;	   /* staircases */
	double gamma;	   /* staircases: r/D in (0, 1]; 0: the optimum */
	double first_step; /* discrete staircase: r >= 1; 0: the optimum */
	double delta;	   /* gaussian, smooth_laplace: in (0, 1); 0: not given */
	double rank;	   /* exponential for max and min: >= 0; negative: the
						* default */
	double quantum;	   /* geometric: > 0, in the unit of the answer or, once
						* a call is checked, in grid steps; 0: none */
	double levels;	   /* two_stage: a whole number, 2 .. 100 */
	DpConstants constants; /* smooth_cauchy, smooth_laplace */
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
 * Parses `name` or `name(parameter=value, ...)`; white space does not matter,
 * names are lower case; each parameter may occur once. Parameters: staircase
 * gamma or cost (l1, l2); discrete_staircase r, gamma or cost; geometric
 * quantum; two_stage levels; gaussian delta; exponential rank; smooth_cauchy
 * constants (tight, nrs); smooth_laplace delta and constants;
 * abstract_staircase r or gamma. The prefix truncated_ goes with laplace,
 * geometric and staircase.
 */
extern DpMechanismProblem dp_mechanism_parse(const char *text,
											 DpMechanismChoice *choice);

/* The law of the noise that a mechanism adds to an answer. */
extern DpNoiseKind dp_mechanism_noise(DpMechanism mechanism);

/* True for noise that is added to an answer, whatever the data. */
extern bool dp_mechanism_is_noise(DpMechanism mechanism);

/* True for noise in whole numbers, whose sensitivity must be one. */
extern bool dp_mechanism_is_integer(DpMechanism mechanism);

/* The name of a mechanism, without truncated_; never NULL. */
extern const char *dp_mechanism_name(DpMechanism mechanism);

/* All names that dp_mechanism_parse knows, separated by ", ". */
extern const char *dp_mechanism_names(void);

#endif
