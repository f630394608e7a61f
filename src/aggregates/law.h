/*
 * law.h
 *		What is publicly known of the noise in an answer, and the interval that
 *		it gives (mechanisms/confidence.h), in values of SQL.
 *
 * The law of an answer is stored with it, since another call may ask the same
 * question with another epsilon or mechanism, and gets the stored answer.
 */
#ifndef DP_AGGREGATES_LAW_H
#define DP_AGGREGATES_LAW_H

#include "lib/stringinfo.h"

#include "aggregates/prepare.h"
#include "mechanisms/confidence.h"

/*
 * The law of the answers to a checked call, DP_LAW_NONE where none is known
 * without the data. Errors: as the aggregate itself would raise.
 */
extern void dp_law_of_call(const DpCall *call, DpLaw *law);

/* dp_law_width or, of rows, dp_law_rows_width; the last ones are kept. */
extern DpStatus dp_law_known_width(const DpLaw *law, double level, bool of_rows,
								   dp_uint128 *width);

/* What the rows of aggregates name (aggregates/aggregate.h). */
extern void dp_law_of_count(const DpCall *call, const DpPrepared *prepared,
							DpLaw *law);
extern void dp_law_of_sum(const DpCall *call, const DpPrepared *prepared,
						  DpLaw *law);
extern void dp_law_of_mean(const DpCall *call, const DpPrepared *prepared,
						   DpLaw *law);
extern void dp_law_of_variance(const DpCall *call, const DpPrepared *prepared,
							   DpLaw *law);
extern void dp_law_of_regression(const DpCall *call, const DpPrepared *prepared,
								 DpLaw *law);
extern void dp_law_of_extreme(const DpCall *call, const DpPrepared *prepared,
							  DpLaw *law);

/* As bytes, always as many. */
extern void dp_law_write(const DpLaw *law, StringInfo bytes);

/*
 * The law of answers of an aggregate in that base type. What is stored may come
 * from elsewhere, as from a dump that was edited, so it is checked. Error:
 * data_corrupted (no such answers have it).
 */
extern void dp_law_read(StringInfo bytes, const DpAggregateTraits *traits,
						Oid type, DpLaw *law);

/* An end of an interval, as it is asked for. */
typedef struct DpEnd
{
	const DpLaw *law;
	Oid type; /* of the answer, a base type */
	bool is_high;
	double level;
	dp_uint128 width;	/* dp_law_width of that level */
	const DpCall *call; /* of regressions, for its bounds */
} DpEnd;

/*
 * That end for one answer, in the answer's type and rounded outwards. sums: of
 * means, variances and regressions. False where there is none.
 */
extern bool dp_law_end(const DpEnd *end, Datum answer, const dp_int128 *sums,
					   Datum *value);

#endif
