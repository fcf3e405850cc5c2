-- First answers of mutations that carried an Idempotency-Key, written in the mutation's own transaction and kept for 24 hours.
create table op.idempotent_answers (
  principal_id bigint not null,
  -- SHA-256 of the key that the client chose.
  key_digest bytea not null check (octet_length(key_digest) = 32),
  -- Of method, path and body, under the database's own key: a body may hold a password.
  request_fingerprint text not null,
  -- Sealed like an item of the vault, with the encryption key of this id: an answer may show an API key.
  key_id text not null,
  answer bytea not null,
  expires_at timestamptz not null,
  primary key (principal_id, key_digest)
);
create index idempotent_answers_expiry on op.idempotent_answers (expires_at);
