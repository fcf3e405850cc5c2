-- The last report of each replica, so that every control plane shows the same fleet and compares each report with the previous one.

create table op.fleet (
  -- Unique for a process.
  replica text primary key,
  report jsonb not null,
  -- The number of its backends, and of those that are unhealthy.
  backends integer not null,
  unhealthy integer not null,
  -- By the clock of the database, which all control planes share. A replica that is silent for the length of a lease is gone.
  reported_at timestamptz(3) not null,
  -- The first report of this snapshot version.
  snapshot_since timestamptz(3) not null
);
