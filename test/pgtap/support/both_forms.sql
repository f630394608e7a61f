-- Whether a question is the same with dp_ aggregates and with the server's own.

-- Fingerprints of the questions in a query, as EXPLAIN shows them to the analyst;
-- the query itself where there are none.
CREATE FUNCTION t.questions(analyst text, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	PERFORM set_config('session_authorization', analyst, false);
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RESET SESSION AUTHORIZATION;
	RETURN coalesce((SELECT string_agg(q, ' ' ORDER BY q) FROM (SELECT DISTINCT value #>> '{}' FROM jsonb_path_query(plan, 'strict $.**.Question') AS value) AS d (q)), query);
END
$$;

-- Asked in one form, a question is replayed in the other.
CREATE FUNCTION t.same_question(analyst text, number integer, one text, other text) RETURNS text LANGUAGE sql AS
'SELECT is(t.questions(analyst, one), t.questions(analyst, other), format(''%s: the same question in both forms'', number))';
