/*
 * planning.sql
 *		Functions for planning: errors, losses, risk.
 */

------------------------------------------------------------------------------
-- Planning: functions for choosing epsilon and mechanisms

CREATE FUNCTION @extschema@.dp_expected_error(
	mechanism text, epsilon double precision, sensitivity double precision DEFAULT 1, OUT mean_absolute double precision,
	OUT root_mean_square double precision, OUT half_width_95 double precision
)
AS 'MODULE_PATHNAME', 'dp_expected_error' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.dp_expected_error(text, double precision, double precision) IS
'Error to expect of additive noise, in the unit of the sensitivity: E|X|, sqrt(E X^2), and the least w with P(|X| <= w) >= 0.95. Mechanisms: laplace, geometric(quantum=...), staircase(gamma=..., cost=...), discrete_staircase, gaussian(delta=...), two_stage(levels=...); geometric and discrete_staircase need an integer sensitivity, and an integer quantum. For two_stage the error is that of a mean, over bounds twice the sensitivity apart. epsilon 2^-20 .. 1000000. For truncated mechanisms it is an upper limit; where the answer is rounded, it is the error of the least favourable one. Sources: Geng and Viswanath (44), (51); Ghosh, Roughgarden, Sundararajan; Chen, Pal, Golubchik 5.2.';

CREATE FUNCTION @extschema@.dp_expected_loss(
	mechanism text, epsilon double precision, sensitivity double precision DEFAULT 1, loss text DEFAULT 'absolute',
	prior double precision[] DEFAULT NULL, upper integer DEFAULT NULL, remap boolean DEFAULT false
) RETURNS double precision
AS 'MODULE_PATHNAME', 'dp_expected_loss' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.dp_expected_loss(text, double precision, double precision, text, double precision[], integer, boolean) IS
'Expected loss of a private answer: absolute |answer - truth|, squared, or binary (1 unless the answer is the truth). Mechanisms as for dp_expected_error, epsilon 2^-20 .. 1000000; null without mechanism, epsilon, sensitivity, loss or remap. Without prior and upper: the loss of the noise alone, in the worst case over all answers, in the unit of the sensitivity. upper (1 .. 10000): the worst case over counts of 0 .. upper (OPT2). prior (2 .. 10001 weights, 0 or more, of the counts 0, 1, 2, ...): the expected loss under that prior (OPT1), and with remap the expected loss after dp_remap. For counts, answers are integers: laplace, staircase and gaussian, which are real, are rounded (dp_count draws them on integers: write geometric or discrete_staircase for those). Truncated mechanisms are clamped to 0 .. n, two_stage has its levels there, and the sensitivity is at most 2^20. Accurate to about 9 digits. Sources: Chen, Pal, Golubchik 4 and 5, (11)-(15); Ghosh, Roughgarden, Sundararajan; Gupte, Sundararajan.';

CREATE FUNCTION @extschema@.dp_remap(
	answer double precision, mechanism text, epsilon double precision, sensitivity double precision, prior double precision[],
	loss text DEFAULT 'absolute'
) RETURNS double precision
AS 'MODULE_PATHNAME', 'dp_remap' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION @extschema@.dp_remap(double precision, text, double precision, double precision, double precision[], text) IS
'The best guess at the true count of 0 .. n, given a private answer and a prior (weights of 0, 1, 2, ..., n): the median (absolute loss), mean (squared) or mode (binary) of the posterior; of several, the lowest. This is post-processing: it costs no epsilon, and is as private as the answer. mechanism, epsilon, sensitivity: those of the answer. dp_expected_loss(..., remap => true) is the remaining loss; with geometric noise it is the least of all epsilon-DP mechanisms. An answer counts as the nearest one that the mechanism can give. Sources: Ghosh, Roughgarden, Sundararajan 2009; Chen, Pal, Golubchik 5.2.';

CREATE FUNCTION @extschema@.dp_collusion_loss(
	mechanism text, epsilon double precision, colluders integer, OUT trend double precision, OUT attack double precision
)
AS 'MODULE_PATHNAME', 'dp_collusion_loss' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION @extschema@.dp_collusion_loss(text, double precision, integer) IS
'Expected absolute error of colluders (1 .. 1000000) who combine independent answers to one question of sensitivity 1, each with this epsilon (2^-20 .. 1000000). trend: sqrt(2 / (pi colluders)) times the loss of one answer (Chen, Pal, Golubchik (16), (17); (18), for geometric, is read as that factor times (13)). attack: the error of a known attack. For laplace, geometric and discrete_staircase it is the median, computed exactly: counts are soon known for certain. For staircase it is the median of the posterior, whose error falls as 1 / colluders: simulated with a fixed seed for up to 1000 colluders (to about 2%), and by scaling laws for more (to about 5%). Truncated forms count as the forms without truncation. Not for gaussian, two_stage or a quantum. A shared budget (dp_noise.set_budget) bounds what all its members learn together.';

CREATE FUNCTION @extschema@.dp_epsilon_for_colluders(
	epsilon double precision, colluders integer, mechanism text DEFAULT 'laplace', OUT composition double precision,
	OUT trend double precision
)
AS 'MODULE_PATHNAME', 'dp_epsilon_for_colluders' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.dp_epsilon_for_colluders(double precision, integer, text) IS
'The epsilon to give each of several analysts (colluders, 1 .. 1000000), so that all of them together learn as much as one with epsilon (2^-20 .. 1000000). composition: epsilon / colluders, which is a guarantee. trend: the epsilon at which the trend of dp_collusion_loss equals the loss of one answer with epsilon. This is NO guarantee: it is about one statistic, the median, and does not hold for the staircase and for counts. Mechanisms as for dp_collusion_loss. Sources: sequential composition; Chen, Pal, Golubchik (16)-(18).';

CREATE FUNCTION @extschema@.dp_disclosure_risk(epsilon double precision, prior double precision) RETURNS double precision
AS 'MODULE_PATHNAME', 'dp_disclosure_risk' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.dp_disclosure_risk(double precision, double precision) IS
'The greatest probability that an adversary can come to assign to a statement about one person, such as that she is in the table: 1 / (1 + (1 - prior) / prior * exp(-epsilon)). epsilon: the sum over all answers (what the ledger shows as spent), 0 or more; prior: the probability before, above 0 and below 1. For a value of a person who is known to be in the table, under add_remove neighbours, give twice epsilon. A delta is added to it. Sources: Bayes; Lee and Clifton 2011.';

CREATE FUNCTION @extschema@.dp_epsilon_for_risk(risk double precision, prior double precision) RETURNS double precision
AS 'MODULE_PATHNAME', 'dp_epsilon_for_risk' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.dp_epsilon_for_risk(double precision, double precision) IS
'The greatest epsilon, for all answers together, whose dp_disclosure_risk does not exceed risk: ln(risk / (1 - risk)) - ln(prior / (1 - prior)). Both are above 0 and below 1, and risk is above prior. For a value of a person who is known to be in the table, under add_remove neighbours, take half of it.';

CREATE FUNCTION dp_noise.sample(mechanism text, epsilon double precision, sensitivity double precision, n bigint) RETURNS SETOF double precision
AS 'MODULE_PATHNAME', 'dp_sample' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION dp_noise.sample(text, double precision, double precision, bigint) IS
'Draws n values of noise in the unit of the sensitivity, for testing and teaching. Mechanisms as for dp_expected_error. Superusers only.';
REVOKE ALL ON FUNCTION dp_noise.sample(text, double precision, double precision, bigint) FROM PUBLIC;
