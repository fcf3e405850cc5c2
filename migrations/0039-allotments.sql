-- Who may use how much of each rate limit in each minute, so that all control planes together hand out no more than the limit.

-- The proxies that ask for allotments. Older proxies do not number their reports.
create table op.limit_replicas (
  replica text primary key,
  sequence bigint not null,
  is_older boolean not null,
  seen_at timestamptz(3) not null
) with (fillfactor = 50);

-- The part of every limit, in ten-thousandths, that a proxy may use in a minute (counted from 1970) without an allotment.
create table op.limit_starts (
  minute bigint not null,
  replica text not null,
  share integer not null,
  primary key (minute, replica)
);

-- Only of limits of which some proxy needs more than its start.
create table op.allotments (
  minute bigint not null,
  principal_id bigint not null,
  dimension text not null check (dimension in ('requests', 'tokens')),
  -- By proxy: the amount that it may use in this minute, instead of its start.
  held jsonb not null,
  -- True if a proxy needs more than is left, so that the others return what they do not need.
  is_short boolean not null,
  primary key (minute, principal_id, dimension)
) with (fillfactor = 50);
