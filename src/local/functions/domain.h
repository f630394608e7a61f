/*
 * domain.h
 *		The declared values of the functions of local noise, prepared once.
 *
 * They are a parameter: public, and the same for everybody. NULL may be one of
 * them. The value of a row never adds to them, and never raises an error.
 */
#ifndef DP_LOCAL_FUNCTIONS_DOMAIN_H
#define DP_LOCAL_FUNCTIONS_DOMAIN_H

#include "utils/array.h"

#include "aggregates/categories.h"
#include "core/epsilon.h"
#include "local/randomized_response.h"
#include "local/unary.h"

typedef struct DpLocalDomain
{
	DpCategories *categories; /* the values that are not null */
	uint32 count;			  /* with NULL: 2 .. DP_LOCAL_VALUES_MAX */
	uint32 null_index;		  /* of NULL in the array; count: none */
} DpLocalDomain;

/*
 * Makes a domain of an array's values, compared by that collation. It lives in
 * the current memory context, and keeps pointers into the array. Errors:
 * invalid_parameter_value (not one dimension, too few or too many values, a
 * value twice), undefined_function (the type has no equality).
 */
extern void dp_domain_init(DpLocalDomain *domain, ArrayType *array,
						   Oid collation);

/*
 * The index of a value, 0 .. count-1; count for a value that is not in the
 * domain.
 */
extern uint32 dp_domain_find(const DpLocalDomain *domain, Datum value,
							 bool isnull);

/* The value of an index, in the domain's memory. */
extern Datum dp_domain_value(const DpLocalDomain *domain, uint32 index,
							 bool *isnull);

/* Kept from one call to the next with the same parameters. */
typedef struct DpLocalCall
{
	MemoryContext context; /* of the fields below */
	ArrayType *array;	   /* a copy; NULL: nothing is prepared */
	float8 asked;		   /* epsilon as given */
	DpEpsilon epsilon;
	DpLocalDomain domain;
	DpResponse response; /* values: 0 until it is prepared */
} DpLocalCall;

/*
 * Prepares domain and epsilon, which are the arguments 1 and 2 of the function.
 * Errors: those of dp_domain_init, null_value_not_allowed, and
 * invalid_parameter_value (epsilon).
 */
extern DpLocalCall *dp_local_call(FunctionCallInfo fcinfo);

/* Checks an argument that must not be null. */
extern void dp_local_check_argument(FunctionCallInfo fcinfo, int argument,
									const char *name);

/* The encoding of that name. Errors: invalid_parameter_value. */
extern DpEncoding dp_local_encoding(FunctionCallInfo fcinfo, int argument);

/*
 * The probabilities of reports of a stored response. Errors:
 * invalid_parameter_value (an epsilon; the second not below the first).
 */
extern DpUnaryReport dp_local_report(DpEpsilon epsilon, float8 report_epsilon);

#endif
