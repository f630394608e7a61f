-- Removes what support/gate.sql made for the whole server.
RESET SESSION AUTHORIZATION;
DO 'BEGIN PERFORM dp_noise.allow_drop(); DROP EXTENSION dp_noise CASCADE; END';
DROP OWNED BY gate_ann, gate_bob, gate_owner CASCADE;
DROP ROLE gate_ann, gate_bob, gate_owner;
