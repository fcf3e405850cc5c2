-- How much of each budget each proxy may spend before the control plane has counted it, and a clock for allotments that never goes back.

create table op.budget_allotments (
  principal_id bigint not null references op.budget_usage (principal_id) on delete cascade,
  dimension text not null check (dimension in ('tokens', 'micros')),
  -- By proxy: what it may spend that is not counted in op.budget_usage yet.
  held jsonb not null,
  -- When a proxy needed more than was left, so that the others return what they do not need. Null if that was long ago.
  short_at timestamptz(3),
  primary key (principal_id, dimension)
) with (fillfactor = 50);

create index budget_allotments_short on op.budget_allotments (short_at) where short_at is not null;

-- Added to the clock of the database, so that allotment times continue when a standby with an earlier clock is promoted.
create table op.limit_clock (
  only_one boolean primary key default true check (only_one),
  ahead interval not null
);
insert into op.limit_clock (ahead) values ('0');

-- The time of allotments. It is later than every report that was answered.
create function op.limit_now() returns timestamptz language plpgsql volatile as $$
declare
  seen timestamptz := (select max(seen_at) from op.limit_replicas where isfinite(seen_at));
  at timestamptz := clock_timestamp() + (select ahead from op.limit_clock);
begin
  if seen is null or at >= seen - interval '1 second' then
    return greatest(at, seen);
  end if;
  update op.limit_clock set ahead = greatest(ahead, seen - clock_timestamp());
  return seen;
end $$;
