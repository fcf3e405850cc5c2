-- Tells where late rows of an hour are, which hours failed, which control processes archive where, and which rows a
-- segment has.

-- The minute of the rows. Null in notes of older releases: the rows can be anywhere in the hour.
alter table op.usage_archive_notes add column minute timestamptz(3);

create or replace function op.note_usage_hours() returns trigger language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  insert into op.usage_archive_notes (generation, hour, minute)
  select stored.generation, date_trunc('hour', stored.minute, 'UTC'), stored.minute from (
    select distinct archive_generation as generation, date_trunc('minute', at, 'UTC') as minute
    from added where archive_generation is not null
  ) stored
  where not exists (
    select from op.usage_archive_notes held
    where held.hour = date_trunc('hour', stored.minute, 'UTC')
      and held.generation = stored.generation and held.minute = stored.minute);
  return null;
end $$;

alter table op.usage_archive_hours
  add column bytes bigint not null default 0,
  -- The last attempt to archive or verify the hour, if it failed, and why.
  add column failed_at timestamptz(3),
  add column failure text;
alter table op.usage_reprices add column archive_failed_at timestamptz(3);

-- The identity of the archive in use, which its file _gw.json has. Null until a process has read that.
alter table op.usage_archive add column archive_id text;

-- The archive that each control process is configured with. They must all have the same one.
create table op.usage_archive_processes (
  process text primary key,
  -- As shown to people. Null means that rows are removed without an archive, as configured.
  place text,
  archive_id text,
  seen_at timestamptz(3) not null
);

-- The rows of each segment, so that a lost file can be written again while the database has them.
create table op.usage_archive_segments (
  dataset text not null,
  hour timestamptz(3) not null,
  segment integer not null,
  -- Of usage: the rows of the generations after the first, up to the last.
  after_generation bigint,
  up_to_generation bigint,
  -- Of corrections.
  reprice_id bigint,
  -- The rows after the first place, up to the last. Null means from the beginning.
  after_place jsonb,
  last_place jsonb not null,
  primary key (dataset, hour, segment)
);
