/*
 * populations.sql
 *		Functions for owners of populations: the people whom relations are about,
 *		and what may be learnt about them in all.
 *
 * The functions for owners are entered in C (src/ledger/owner_functions.c): that
 * code refuses everybody except the owner and superusers (it checks the current
 * user, whichever function the call comes from) and calls do_..., which runs
 * with the extension's rights and which nobody else may call. The argument
 * population is then the exact name of one, locked until the end of the
 * transaction, though its owner may have written the name of a member.
 */

CREATE FUNCTION dp_noise.lock_population(population_id integer)
RETURNS void
AS 'MODULE_PATHNAME', 'dp_lock_population'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_noise.lock_population(integer) IS
'Locks the ledger''s rows about a population, against the ledger worker and all other writers, until the end of the transaction.';

CREATE FUNCTION dp_noise.find_population(
	population text,
	relation oid,
	OUT population_id integer,
	OUT owner oid,
	OUT name text
)
LANGUAGE sql STABLE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
	SELECT p.population_id, p.owner, p.name
	FROM dp_noise_ledger.population AS p
	WHERE NOT p.is_dropped AND (p.name = find_population.population
		OR p.population_id = (SELECT m.population_id FROM dp_noise_ledger.member AS m WHERE m.relation = nullif(find_population.relation, 0)))
	ORDER BY p.name = find_population.population DESC
	LIMIT 1
$$;
COMMENT ON FUNCTION dp_noise.find_population(text, oid) IS
'The population of that name, or else that of a relation (which the text names for its writer; 0 or null: none); its owner and its name. Nulls if there is none. Called by the library.';

CREATE FUNCTION dp_noise.population_number(population text)
RETURNS integer
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
	SELECT p.population_id FROM dp_noise_ledger.population AS p
	WHERE p.name = population_number.population AND NOT p.is_dropped
$$;
COMMENT ON FUNCTION dp_noise.population_number(text) IS
'The number of the population of that name; null if there is none.';

CREATE FUNCTION dp_noise.members_of(population_id integer)
RETURNS oid[]
LANGUAGE sql STABLE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
	SELECT ARRAY(
		SELECT m.relation FROM dp_noise_ledger.member AS m
		WHERE m.population_id = members_of.population_id AND m.relation <> 0
		ORDER BY m.member_id)
$$;
COMMENT ON FUNCTION dp_noise.members_of(integer) IS
'The relations in a population. Called by the library.';
