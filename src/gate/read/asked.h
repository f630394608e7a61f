/*
 * asked.h
 *		Reads the private aggregates of a question.
 */
#ifndef DP_GATE_READ_ASKED_H
#define DP_GATE_READ_ASKED_H

#include "gate/facts/range.h"
#include "gate/read/scope.h"

/* What aggregates are read over. */
typedef struct DpAskedRows
{
	DpScope *scope;			   /* of the question */
	const DpNode *rows;		   /* complete */
	const DpColumnFact *known; /* of their columns: dp_range_of_counted */
	bool several;			   /* a unit may have several of them */
} DpAskedRows;

/*
 * Reads one aggregate: functions of constants are evaluated; bounds, or values,
 * that the owner declared fill in omitted ones.
 *
 * Errors: insufficient_privilege (not one of the extension's aggregates);
 * feature_not_supported, invalid_parameter_value (no bounds), with a position and
 * a hint.
 */
extern DpAsked *dp_asked_read(const DpAskedRows *rows, const Aggref *written);

#endif
