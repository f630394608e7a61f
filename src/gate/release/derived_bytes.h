/*
 * derived_bytes.h
 *		Stored answers of finer questions as that of a question.
 */
#ifndef DP_GATE_RELEASE_DERIVED_BYTES_H
#define DP_GATE_RELEASE_DERIVED_BYTES_H

#include "lib/stringinfo.h"

#include "gate/release/release_state.h"

/*
 * The answer of an aggregate, as it is stored (answer_bytes.h), from that of a finer
 * question (gate/facts/finer.h): bytes and their size. NULL where it does not follow:
 * some groups are not there, or not with every combination of the keys' values; or
 * where it errs more than the answer that is asked for would. *width: of its
 * interval, as a part of what that one's would be.
 *
 * Errors: those of dp_answer_bytes_read.
 */
extern StringInfo dp_derived_bytes_make(DpReleaseState *state, int aggno,
										const List *finer, const char *bytes,
										Size size, double *width);

#endif
