/*
 * local.sql
 *		Local noise: values that are randomised one by one, before they are
 *		stored, and estimates of how often each occurred.
 */

------------------------------------------------------------------------------
-- Local noise

CREATE FUNCTION @extschema@.dp_randomize(value anyelement, domain anyarray, epsilon double precision) RETURNS anyelement
AS 'MODULE_PATHNAME', 'dp_randomize' LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION @extschema@.dp_randomize(anyelement, anyarray, double precision) IS
'A randomised response for one value, to be stored in its place: a value of domain, the true one with probability e^epsilon / (e^epsilon + k - 1), each other with 1 / (e^epsilon + k - 1), of k values. Epsilon-DP in the local model: whoever reads the response, and nothing else, can hardly tell any two values apart; each further response for the same value or the same person adds its epsilon. It needs no budget and is charged to none. The user who runs the statement, the server and its logs see the true value: draw on the client where they are not trusted. domain: 2 .. 100000 different values, NULL among them or not; domain and epsilon (2^-20 .. 1000000) must not depend on the value. A value outside of domain, even NULL, raises no error: its response is uniform over domain. Errors: invalid_parameter_value, null_value_not_allowed (domain, epsilon), undefined_function (no equality). Exact: integer arithmetic only. Sources: Warner 1965; Kairouz, Oh, Viswanath 2014.';

CREATE FUNCTION @extschema@.dp_randomize_bits(
	value anyelement, domain anyarray, epsilon double precision, encoding text DEFAULT 'optimal'
) RETURNS bit varying
AS 'MODULE_PATHNAME', 'dp_randomize_bits' LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION @extschema@.dp_randomize_bits(anyelement, anyarray, double precision, text) IS
'A randomised response for one value in bits, one for each value of domain: better than dp_randomize where domain has more than about 3 e^epsilon + 2 values. encoding optimal: the bit of the true value is 1 with probability 1/2, each other with 1 / (1 + e^epsilon); symmetric: 1 for the true value alone, then each bit flipped with probability 1 / (1 + e^(epsilon/2)), which can be stored and reported by dp_report_bits. Epsilon-DP in the local model, like dp_randomize, with the same parameters, errors and limits; a value outside of domain, even NULL, has no bit. Sources: Erlingsson, Pihur, Korolova 2014 (RAPPOR, one hash for each value); Wang, Blocki, Li, Jha 2017.';

CREATE FUNCTION @extschema@.dp_report_bits(bits bit varying, epsilon double precision, report_epsilon double precision) RETURNS bit varying
AS 'MODULE_PATHNAME', 'dp_report_bits' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION @extschema@.dp_report_bits(bit varying, double precision, double precision) IS
'A report of a stored response, for clients that report the same value again and again: the bits that dp_randomize_bits(..., epsilon, ''symmetric'') drew once, each flipped again at random so that one report is report_epsilon-DP. All reports of one stored response together are epsilon-DP, however many. report_epsilon: 2^-20 or more, less than epsilon. Errors: invalid_parameter_value. Source: Erlingsson, Pihur, Korolova 2014 (RAPPOR''s instantaneous response).';

CREATE FUNCTION @extschema@.dp_randomized_counts(reported anyarray, domain anyarray, epsilon double precision, counts bigint[] DEFAULT NULL)
RETURNS TABLE (
	value anyelement, reports bigint, estimate double precision, standard_error double precision
)
AS 'MODULE_PATHNAME', 'dp_randomized_counts' LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION @extschema@.dp_randomized_counts(anyarray, anyarray, double precision, bigint[]) IS
'Estimates how often each value of domain was the true one, from responses of dp_randomize: (reported: the responses; domain and epsilon as they were for dp_randomize; counts: the number of occurrences of each of reported, if not 1). estimate is unbiased, may be negative and need not be an integer; standard_error is the root of an unbiased estimate of its variance. Values that were outside of domain add equally to all values. Do not clamp estimates before you add them up. Post-processing: it costs nothing and needs no budget. Errors: invalid_parameter_value (a report that is not in domain; parameters), null_value_not_allowed.';

CREATE FUNCTION @extschema@.dp_randomized_bit_counts(
	reported bit varying[], domain anyarray, epsilon double precision, encoding text DEFAULT 'optimal',
	report_epsilon double precision DEFAULT NULL, counts bigint[] DEFAULT NULL
)
RETURNS TABLE (
	value anyelement, reports bigint, estimate double precision, standard_error double precision
)
AS 'MODULE_PATHNAME', 'dp_randomized_bit_counts' LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION @extschema@.dp_randomized_bit_counts(bit varying[], anyarray, double precision, text, double precision, bigint[]) IS
'The same from the bits of dp_randomize_bits, or with report_epsilon from those of dp_report_bits: (reported, domain, epsilon and encoding as they were there, report_epsilon, counts: the number of occurrences of each of reported, if not 1). Values that were outside of domain add to none. estimate and standard_error, and errors, as for dp_randomized_counts.';
