-- Removes what support/gate.sql made for the whole server.
RESET SESSION AUTHORIZATION;
DROP EXTENSION dp_noise CASCADE;
DROP OWNED BY gate_ann, gate_bob, gate_owner CASCADE;
DROP ROLE gate_ann, gate_bob, gate_owner;
