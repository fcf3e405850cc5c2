-- The vault: secrets and personal data, sealed with AES-256-GCM. Events carry the ref alone, so rotation and erasure never
-- touch the log.

create table vault.items (
  ref uuid primary key,
  class text not null check (class in
    ('credential', 'password', 'key_verifier', 'personal', 'example', 'fingerprint_key')),
  -- The stream that the item belongs to.
  subject text not null,
  -- Which encryption key sealed it.
  key_id text not null,
  -- Format byte 0x01, nonce (12 bytes), ciphertext, tag (16 bytes); null once erased.
  body bytea,
  created_at timestamptz not null default now(),
  superseded_at timestamptz,
  erased_at timestamptz,
  check ((erased_at is null) = (body is not null))
);
create index items_subject on vault.items (subject);
-- One fingerprint key a database, whoever starts first.
create unique index items_fingerprint_key on vault.items (class) where class = 'fingerprint_key';

grant select, insert, update on vault.items to gw_app;
