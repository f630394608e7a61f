/*
 * sensitivity.sql
 *		The sensitivity of user-defined aggregates, by sampling.
 */

CREATE FUNCTION dp_noise.sample_sensitivity(
	aggregate regprocedure, relation regclass, columns text[], rows integer, gamma double precision DEFAULT 0.05,
	samples integer DEFAULT NULL, mechanism text DEFAULT 'laplace', neighbours text DEFAULT 'substitute', OUT sensitivity double precision,
	OUT greatest_seen double precision, OUT samples integer, OUT order_statistic integer, OUT rho double precision,
	OUT gamma double precision, OUT delta double precision
)
AS 'MODULE_PATHNAME', 'dp_sample_sensitivity' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 1000000;
COMMENT ON FUNCTION dp_noise.sample_sensitivity(regprocedure, regclass, text[], integer, double precision, integer, text, text) IS
'For planning only, and weaker than all other guarantees here: how much one row changes a user-defined aggregate, estimated from random samples of a relation''s rows. Draws pairs of neighbouring tables of so many rows (substitute: they differ in one row; add_remove: one has a row more). Each row is drawn from the relation independently, from at most 100000 of its rows chosen at random. Runs the aggregate on both tables, and returns the order_statistic-th least of the differences. Noise for that sensitivity that would be (epsilon, delta)-DP is (epsilon, delta, gamma)-random-DP: for tables whose rows are drawn independently from the distribution that the relation''s rows represent, the guarantee holds with probability 1 - gamma over the table. For the other tables, which may be those with an unusual person, nothing is guaranteed. delta: that of the mechanism. samples: if null, as few as gamma needs. greatest_seen: the greatest of all differences. The result is not private: it depends on the rows, is recorded nowhere and charged to nobody, and is not for analysts to see. Reads the relation and runs the aggregate as the owner of the relation, restricted as in an index build and with the search path pg_catalog, pg_temp: functions of users must qualify names. For the relation''s owner and superusers. Errors: insufficient_privilege, invalid_parameter_value, null_value_not_allowed, wrong_object_type, undefined_column, feature_not_supported, object_not_in_prerequisite_state (no rows), and the aggregate''s own. Source: Rubinstein, Alda 2017; Hall, Rinaldo, Wasserman 2013.';
