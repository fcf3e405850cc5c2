-- Tells which usage rows are in the archive, and which may be removed from the database.

create table op.usage_archive (
  only_one boolean primary key default true check (only_one),
  -- Rows are stored with the current generation, which the archive closes before it reads them. Null until an archive is
  -- first configured.
  generation bigint,
  -- True if rows may only be removed once they are in the archive.
  is_on boolean not null default false,
  -- Where the archive is, as shown to people.
  place text,
  -- Hours before this have no archive: their rows were removed before there was one.
  first_hour timestamptz(3),
  -- The control process that archives, and until when no other one does.
  holder text,
  held_until timestamptz(3)
);
insert into op.usage_archive default values;

-- The shared lock is held until the rows are committed: closing a generation waits for it. So every row of a closed
-- generation can be read. Volatile, because the generation must be read after the lock was acquired.
create function op.usage_generation() returns bigint volatile language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_advisory_xact_lock_shared(7100010);
  return (select generation from op.usage_archive);
end $$;

-- Null in rows of before the archive. A default, because control planes of older releases insert rows too.
alter table op.usage_events add column archive_generation bigint;
alter table op.usage_events alter column archive_generation set default op.usage_generation();

-- Hours with rows that may not be in the archive yet. Entries can repeat.
create table op.usage_archive_notes (
  generation bigint not null,
  hour timestamptz(3) not null
);
create index usage_archive_notes_hour on op.usage_archive_notes (hour, generation);

create function op.note_usage_hours() returns trigger language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  insert into op.usage_archive_notes (generation, hour)
  select stored.generation, stored.hour from (
    select distinct archive_generation as generation, date_trunc('hour', at, 'UTC') as hour
    from added where archive_generation is not null
  ) stored
  where not exists (
    select from op.usage_archive_notes held
    where held.hour = stored.hour and held.generation = stored.generation);
  return null;
end $$;
create trigger note_usage_hours after insert on op.usage_events
  referencing new table as added for each statement execute function op.note_usage_hours();

-- What the archive has of each hour.
create table op.usage_archive_hours (
  hour timestamptz(3) primary key,
  -- The rows of these generations are in the archive; rows without one count as 0.
  done bigint not null default -1,
  -- The generations that are being archived, up to this one, and the last row that is in the archive.
  doing bigint,
  place jsonb,
  segments integer not null default 0,
  correction_segments integer not null default 0,
  -- Segments that the archive had although the database did not know them. Their rows are not archived again.
  adopted integer[] not null default '{}',
  adopted_corrections integer[] not null default '{}',
  archived_at timestamptz(3),
  -- When all segments were last read and found intact. Null after another segment.
  verified_at timestamptz(3)
);
create index usage_archive_hours_unverified on op.usage_archive_hours (hour)
  where verified_at is null;

-- When the corrections were archived, and the last one that is in the archive.
alter table op.usage_reprices add column archived_at timestamptz(3), add column archive_place jsonb;
