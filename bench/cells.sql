-- Makes the function cells in the schema that the variable schema names: answers
-- of a set of questions, to be compared cell by cell.

-- What a query gives: a row's keys, which answer, its value. Times count as seconds.
CREATE FUNCTION :schema.cells(query text, keys integer) RETURNS TABLE (key text, place bigint, value numeric) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('WITH answers AS MATERIALIZED (SELECT row_to_json(q) AS texts FROM (%s) AS q)
	SELECT k.key, c.place - %s, CASE WHEN c.value ~ ''^\d{4}-'' THEN extract(epoch FROM c.value::timestamp) ELSE c.value::numeric END
	FROM answers, LATERAL (SELECT coalesce(string_agg(value, '' '' ORDER BY place), '''') AS key FROM json_each_text(texts) WITH ORDINALITY AS t (name, value, place) WHERE place <= %2$s) AS k,
		json_each_text(texts) WITH ORDINALITY AS c (name, value, place)
	WHERE c.place > %2$s', query, keys);
END
$$;
