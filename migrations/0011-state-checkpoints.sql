-- States of the configuration as the fold had them at some positions of the log: caches, from which a state of the past is folded
-- on. The log alone is the truth; a row may be deleted at any time.

create table op.state_checkpoints (
  -- Which fold made it: another release may fold otherwise.
  fold_version integer not null,
  position bigint not null check (position > 0),
  -- When the event at the position was recorded.
  recorded_at timestamptz(3) not null,
  created_at timestamptz not null default now(),
  -- JSON, compressed with Zstandard (RFC 8878).
  state_zstd bytea not null,
  -- SHA-256 of the JSON.
  state_hash bytea not null check (octet_length(state_hash) = 32),
  primary key (fold_version, position)
);
