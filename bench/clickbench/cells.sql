-- Questions of questions.sql, asked and compared cell by cell.

-- What a query gives: a row's keys, which answer, its value. Times count as seconds.
CREATE FUNCTION clickbench.cells(query text, keys integer) RETURNS TABLE (key text, place bigint, value numeric) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('WITH answers AS MATERIALIZED (SELECT row_number() OVER () AS n, row_to_json(q) AS texts FROM (%s) AS q),
	cells AS (SELECT n, c.value, c.place FROM answers, json_each_text(texts) WITH ORDINALITY AS c (name, value, place))
	SELECT coalesce((SELECT string_agg(k.value, '' '' ORDER BY k.place) FROM cells AS k WHERE k.n = c.n AND k.place <= %s), ''''), c.place - %2$s,
		CASE WHEN c.value ~ ''^\d{4}-'' THEN extract(epoch FROM c.value::timestamp) ELSE c.value::numeric END
	FROM cells AS c WHERE c.place > %2$s', query, keys);
END
$$;
