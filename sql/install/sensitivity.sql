/*
 * sensitivity.sql
 *		The sensitivity of user-defined aggregates, by sampling.
 */

CREATE FUNCTION dp_noise.sample_sensitivity(
	aggregate regprocedure,
	relation regclass,
	columns text[],
	rows integer,
	gamma double precision DEFAULT 0.05,
	samples integer DEFAULT NULL,
	mechanism text DEFAULT 'laplace',
	neighbours text DEFAULT 'substitute',
	OUT sensitivity double precision,
	OUT greatest_seen double precision,
	OUT samples integer,
	OUT order_statistic integer,
	OUT rho double precision,
	OUT gamma double precision,
	OUT delta double precision
)
AS 'MODULE_PATHNAME', 'dp_sample_sensitivity'
LANGUAGE C VOLATILE PARALLEL UNSAFE COST 1000000;
COMMENT ON FUNCTION dp_noise.sample_sensitivity(regprocedure, regclass, text[], integer, double precision, integer, text, text) IS
'For planning only, and weaker than all other promises here: how far one row moves a user-defined aggregate, estimated from random samples of a relation''s rows. Draws pairs of neighbours of so many rows (substitute: one row is another one; add_remove: it is there or not), each row drawn from the relation anew, at most from 100000 of its rows chosen at random, runs the aggregate on both, and returns the order_statistic-th least of the differences. Noise for that sensitivity that would be (epsilon, delta)-DP is (epsilon, delta, gamma)-random-DP: for tables whose rows come independently from the distribution that the relation''s rows stand for, the promise holds with probability 1 - gamma over the table; for the other tables, which may be just those with an unusual person, nothing is promised. delta: that of the mechanism. samples: as few as gamma needs, if null. greatest_seen: of all differences. The result is not private: it depends on the rows, is recorded nowhere and charged to nobody, and is not for analysts to see. Runs the aggregate with the caller''s rights. For the relation''s owner and superusers. Errors: insufficient_privilege, invalid_parameter_value, null_value_not_allowed, wrong_object_type, undefined_column, feature_not_supported, object_not_in_prerequisite_state (no rows), and the aggregate''s own. Source: Rubinstein, Alda 2017; Hall, Rinaldo, Wasserman 2013.';
