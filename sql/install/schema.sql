/*
 * schema.sql
 *		Objects of the extension: CREATE EXTENSION dp_noise runs this.
 *
 * Objects for everyone are in the extension's schema (@extschema@), objects for
 * the DBA and the parts of the aggregates in the schema dp_noise, and the ledger's
 * tables in dp_noise_ledger.
 */
\echo Use "CREATE EXTENSION dp_noise" to load this file. \quit

-- Names and operators without a schema are the server's own, whatever others
-- put into the extension's schema. An operator oid = regclass, for example,
-- would be found there first, since the server has one only through a cast.
SET LOCAL search_path = pg_catalog, pg_temp;

CREATE SCHEMA dp_noise;
COMMENT ON SCHEMA dp_noise IS 'Private aggregate queries: objects for the DBA, and the parts of the dp_ aggregates.';
REVOKE ALL ON SCHEMA dp_noise FROM PUBLIC;
GRANT USAGE ON SCHEMA dp_noise TO PUBLIC;

-- The ledger's tables, sequences and identities. Many commands lock a table
-- before they check privileges. In a schema that nobody else may use, no name
-- leads to a table, so that nobody can hold up the charges of others.
CREATE SCHEMA dp_noise_ledger;
COMMENT ON SCHEMA dp_noise_ledger IS
'The tables of dp_noise''s ledger, which only its functions and the ledger worker write. Superusers may read them.';
REVOKE ALL ON SCHEMA dp_noise_ledger FROM PUBLIC;
