-- The set-up of documents that need nothing but the extension.

CREATE EXTENSION dp_noise;
