-- Operational data: changes at a high rate, lives short or holds no decision, so it is not in the log.

-- Only the SHA-256 of a session's token is kept (Authentication rule 10).
create table op.sessions (
  token_digest bytea primary key check (octet_length(token_digest) = 32),
  principal_id bigint not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index sessions_principal on op.sessions (principal_id);
create index sessions_expiry on op.sessions (expires_at);

-- One row a backend response or attributed refusal. Names are those of the time of ingest, so that history outlives what they
-- name; costs are stored and never derived again. The id comes from the gateway: a batch delivered twice counts once.
create table op.usage_events (
  id text not null,
  at timestamptz not null,
  received_at timestamptz not null,
  replica text not null,
  principal_id bigint not null,
  principal text not null,
  key_id bigint,
  model_id bigint,
  model text,
  provider_id bigint,
  provider text,
  virtual_model text not null,
  path text not null,
  snapshot_version bigint not null,
  route text,
  tag text,
  stream boolean not null,
  status bigint,
  refusal text,
  prompt_tokens bigint not null,
  completion_tokens bigint not null,
  usage_reported boolean not null,
  cost_micros bigint,
  cached boolean not null,
  duration_ms bigint not null,
  ttft_ms bigint,
  attempts bigint not null,
  prompt_estimate bigint not null,
  max_tokens bigint,
  primary key (id, at)
) partition by range (at);
create index usage_events_at on op.usage_events (at);

-- Makes the partition of the month that `moment` lies in, when it is missing. The lock keeps two replicas from making it at once.
create function op.ensure_usage_month(moment timestamptz) returns void language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  first_day date := date_trunc('month', moment at time zone 'UTC')::date;
  partition_name text := format('usage_events_%s', to_char(first_day, 'YYYY_MM'));
begin
  if to_regclass(format('op.%I', partition_name)) is not null then
    return;
  end if;
  perform pg_advisory_xact_lock(7100003);
  execute format(
    'create table if not exists op.%I partition of op.usage_events for values from (%L) to (%L)',
    partition_name, first_day::timestamp at time zone 'UTC',
    (first_day + interval '1 month')::timestamp at time zone 'UTC');
end $$;
