-- What agents say of providers is in the log. Beside it stay the leases, and what the sweep last found of every provider.

alter table op.provider_leases drop column node, drop column engine;
-- A beat writes one row in its place.
alter table op.provider_leases set (fillfactor = 50);

create table op.provider_probes (
  provider_id bigint primary key,
  -- When it last answered with its model list; null when it never has.
  last_seen_at timestamptz(3),
  -- Since when it does not, or serves less than is registered of it, and how that shows. Both null while all is well.
  failing_since timestamptz(3),
  reason text,
  check ((failing_since is null) = (reason is null))
) with (fillfactor = 70);

-- One row: of several control planes one sweeps at a time, and once an interval.
create table op.provider_sweep (
  one boolean primary key default true check (one),
  -- When the last sweep began, and until when whoever holds it is taken to be at work.
  begun_at timestamptz(3) not null,
  held_until timestamptz(3) not null
);
insert into op.provider_sweep (begun_at, held_until) values ('-infinity', '-infinity');
