-- What proxies bear witness of: alarms of the log, and which of them served which version since when.

create table op.log_alarms (
  id bigserial primary key,
  raised_at timestamptz(3) not null,
  -- The first position that does not hold, or that the log does not reach.
  position bigint not null,
  problem text not null,
  -- Who saw another log; null when the chain itself is broken.
  replica text,
  seen_hash text,
  -- Null where the log ends before.
  log_hash text,
  -- In which it was seen: a later one explains it. Null: none does.
  epoch integer
);
-- One alarm for all that saw the same.
create unique index log_alarms_once on op.log_alarms (position, coalesce(seen_hash, ''));

create index snapshot_published_version on op.snapshot_published (version, reported_at, replica);

-- So is the epoch of the log.
create index events_epoch on es.events (position) where type = 'LogEpochStarted';

-- The events by which access was granted are found without reading the log.
create index events_grants on es.events (position)
  where type in ('PrincipalRoleGranted', 'RolePermissionGranted');
