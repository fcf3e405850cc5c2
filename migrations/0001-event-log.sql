-- The event log: one global, gapless, hash-chained sequence with a single-row head.
-- Appending takes the advisory lock, then the head row, then inserts a command's events in one statement; the guard re-checks
-- contiguity, digests, chain and time, and moves the head. Nothing here is ever updated or deleted.

create schema es;
create schema vault;
create schema op;

-- gw_app is the role under which the program works (src/db/migrate.ts makes it): its rights are what makes the log
-- append-only for it.
grant usage on schema es, vault, op to gw_app;
alter default privileges in schema op grant select, insert, update, delete on tables to gw_app;

create table es.log_head (
  only_one boolean primary key default true check (only_one),
  log_id uuid not null,
  position bigint not null check (position >= 0),
  hash bytea not null check (octet_length(hash) = 32),
  recorded_at timestamptz(3) not null
) with (fillfactor = 10);

-- The first hash holds the log's own id, so that two logs never share a chain.
insert into es.log_head (log_id, position, hash, recorded_at)
select id, 0, sha256(convert_to('gw-log-genesis' || id::text, 'UTF8')), 'epoch'
from (select gen_random_uuid() as id) fresh;

create table es.events (
  position bigint primary key check (position > 0),
  stream text not null check (stream ~ '^[a-z_]+-[A-Za-z0-9._:-]{1,120}$'),
  version integer not null check (version > 0),
  event_id uuid not null unique,
  type text not null check (type ~ '^[A-Z][A-Za-z]{2,63}$'),
  schema smallint not null check (schema > 0),
  tx_id uuid not null,
  recorded_at timestamptz(3) not null,
  -- json, not jsonb: the bytes are hashed, and jsonb would rewrite them.
  metadata json not null,
  -- null only after an owner's redaction; the digest stays in the leaf, so the chain still verifies.
  payload json,
  payload_digest bytea not null check (octet_length(payload_digest) = 32),
  leaf_hash bytea not null check (octet_length(leaf_hash) = 32),
  hash bytea not null check (octet_length(hash) = 32),
  unique (stream, version)
);
create index events_tx on es.events (tx_id);
create index events_at on es.events (recorded_at);

-- The same bytes as events/seal.ts.
create function es.event_leaf(e es.events) returns bytea immutable language sql
set search_path = pg_catalog, pg_temp as $$
  select sha256('\x00'::bytea || convert_to(concat_ws(E'\n',
    'gw-event-v1', e.position, e.stream, e.version, e.event_id, e.type, e.schema, e.tx_id,
    (extract(epoch from e.recorded_at) * 1000)::bigint,
    encode(sha256(convert_to(e.metadata::text, 'UTF8')), 'hex'),
    encode(e.payload_digest, 'hex')) || E'\n', 'UTF8'))
$$;

-- Runs as the owner, so that the program's role needs no right to write the head.
create function es.events_guard() returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
  head es.log_head;
  added_count bigint;
  first_position bigint;
  last_position bigint;
  broken_position bigint;
  last_hash bytea;
  last_recorded_at timestamptz;
begin
  select * into strict head from es.log_head for update;
  select count(*), min(position), max(position)
    into added_count, first_position, last_position from added;
  if added_count = 0 then
    return null;
  end if;
  if first_position <> head.position + 1 or last_position <> head.position + added_count then
    raise exception 'event log: positions %..% (% rows) after head %',
      first_position, last_position, added_count, head.position using errcode = 'ES001';
  end if;
  select position into broken_position from (
    select a.position,
           a.payload is null
        or a.payload_digest <> sha256(convert_to(a.payload::text, 'UTF8'))
        or a.leaf_hash <> es.event_leaf(a)
        or a.hash <> sha256('\x01'::bytea || lag(a.hash, 1, head.hash) over w || a.leaf_hash)
        or a.recorded_at < lag(a.recorded_at, 1, head.recorded_at) over w as broken
    from added a window w as (order by a.position)) checked
  where broken order by position limit 1;
  if broken_position is not null then
    raise exception 'event log: bad digest, chain or time at %', broken_position
      using errcode = 'ES003';
  end if;
  select hash, recorded_at into last_hash, last_recorded_at
    from added where position = last_position;
  update es.log_head
    set position = last_position, hash = last_hash, recorded_at = last_recorded_at;
  -- Heard at the commit by the other replicas. A hint alone: they poll as well.
  perform pg_notify('gw_events', last_position::text);
  return null;
end $$;

create trigger events_guard after insert on es.events
  referencing new table as added for each statement execute function es.events_guard();

create function es.forbid() returns trigger language plpgsql as $$
begin
  raise exception 'es.events is append-only (%)', tg_op using errcode = 'ES000';
end $$;
create trigger events_no_change before update or delete or truncate on es.events
  for each statement execute function es.forbid();

-- Always: also under session_replication_role = replica, and for the owner.
alter table es.events enable always trigger events_guard;
alter table es.events enable always trigger events_no_change;

-- Takes the log for an append. The advisory lock first: its queue is fair, where waiters for a row lock stampede. The row lock
-- is what holds, even for a tool that forgets the advisory one. As the owner: the program's role may not update the head, and
-- who may not update a row cannot lock it.
create function es.lock_log() returns es.log_head language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare head es.log_head;
begin
  perform pg_advisory_xact_lock(7100002);
  select * into strict head from es.log_head for update;
  return head;
end $$;

-- How far each generation of read models has come. A generation is named by the fingerprint of its definition.
create table es.read_models (
  fingerprint text primary key,
  schema_name text not null,
  position bigint not null check (position >= 0),
  status text not null check (status in ('building', 'live', 'retired')),
  built_at timestamptz,
  last_used_at timestamptz not null
);

grant select, insert on es.events to gw_app;
grant select on es.log_head to gw_app;
grant select, insert, update on es.read_models to gw_app;
revoke execute on function es.lock_log() from public;
grant execute on function es.lock_log() to gw_app;
