/*
 * archive.sql
 *		Old charges are moved to where they are in nobody's way.
 *
 * A year's charges are a partition, made when the first of them is moved. Those
 * tables are not the extension's, so that a dump has them like a user's; they are
 * dropped along with it. Each has an index of its own: one of the whole would be
 * the extension's, and a restore would make those of the parts twice.
 */

CREATE TABLE dp_noise_ledger.charge_archive (LIKE dp_noise_ledger.charge) PARTITION BY RANGE (at);
COMMENT ON TABLE dp_noise_ledger.charge_archive IS 'Charges that dp_noise.archive has moved here, one partition for each year (UTC).';

CREATE VIEW dp_noise_ledger.every_charge AS
SELECT * FROM dp_noise_ledger.charge
UNION ALL
SELECT * FROM dp_noise_ledger.charge_archive;
COMMENT ON VIEW dp_noise_ledger.every_charge IS 'The charges, archived or not.';
REVOKE ALL ON dp_noise_ledger.charge_archive, dp_noise_ledger.every_charge FROM PUBLIC;

-- The worker only adds charges, and need not wait for this.
CREATE FUNCTION dp_noise.archive(before timestamptz) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET default_tablespace = ''
SET default_table_access_method = heap
AS $$
DECLARE
	-- The worker finds the charge of a running statement, to store its answer. Under
	-- track_activities = off nobody knows since when it runs.
	finished CONSTANT timestamptz := (
		SELECT least(before, min(CASE a.state WHEN 'disabled' THEN a.backend_start ELSE a.xact_start END))
		FROM pg_stat_activity AS a WHERE a.datname = current_database());
	year integer;
	year_begin timestamptz;
	year_end timestamptz;
	part text;
	moved bigint;
	total bigint := 0;
BEGIN
	IF before IS NULL THEN
		RAISE EXCEPTION 'before must not be null'
			USING ERRCODE = 'null_value_not_allowed', HINT = 'Write the time before which charges are old, such as now() - interval ''1 year'', or ''infinity''.';
	END IF;
	-- One at a time; those who read the archive do not wait.
	LOCK TABLE dp_noise_ledger.charge_archive IN SHARE UPDATE EXCLUSIVE MODE;
	FOR year IN
		SELECT DISTINCT extract(year FROM c.at AT TIME ZONE 'UTC') FROM dp_noise_ledger.charge AS c
		WHERE c.at < finished AND isfinite(c.at)
	LOOP
		year_begin := make_timestamptz(year, 1, 1, 0, 0, 0, 'UTC');
		year_end := make_timestamptz(year + 1, 1, 1, 0, 0, 0, 'UTC');
		part := format('dp_noise_ledger.charge_%s', year);
		IF to_regclass(part) IS NULL THEN
			EXECUTE format('CREATE TABLE %s (LIKE dp_noise_ledger.charge_archive)', part);
			-- unique, so that a dump is not restored into it twice
			EXECUTE format('CREATE UNIQUE INDEX ON %s (budget_id, charge_id)', part);
			EXECUTE format('ALTER TABLE dp_noise_ledger.charge_archive ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)', part, year_begin, year_end);
		END IF;
		WITH old AS (
			DELETE FROM dp_noise_ledger.charge AS c WHERE c.at >= year_begin AND c.at < least(year_end, finished) RETURNING c.*
		)
		INSERT INTO dp_noise_ledger.charge_archive SELECT * FROM old;
		GET DIAGNOSTICS moved = ROW_COUNT;
		total := total + moved;
	END LOOP;
	RETURN total;
END
$$;
COMMENT ON FUNCTION dp_noise.archive(timestamptz) IS
'Moves the charges from before a time into an archive that is partitioned by years, and returns how many it moved; those of transactions that are running stay. Error: null_value_not_allowed. Views show them as before, dumps contain them, and what was spent stays spent. Charges go on meanwhile. For superusers, and for roles that were granted EXECUTE.';
