-- Usage beyond its rows: what explains a request, what is left of rows past their retention, and refusals that are nobody's.

-- Null, and none, in the rows of proxies that do not report them. The names of headers that the deciding rule matched by, never values.
alter table op.usage_events
  add column prompt_class_id bigint,
  add column prompt_class text,
  add column budget_percent bigint,
  add column matched_headers jsonb not null default '[]';
create index usage_events_principal on op.usage_events (principal_id, at);

-- Rows past their retention, added up by the hour and by names. A row is counted here or in op.usage_events, never in both: it moves in
-- one statement. `key` is the SHA-256 of the columns between it and the sums, which are too long for an index and may be null.
-- Sums are numeric: a broken report can make any of them larger than a bigint.
create table op.usage_hours (
  hour timestamptz(3) not null,
  key bytea not null check (octet_length(key) = 32),
  principal_id bigint not null,
  principal text not null,
  model text,
  provider text,
  virtual_model text not null,
  tag text,
  refusal text,
  budget_window timestamptz(3),
  requests bigint not null,
  upstream_errors bigint not null,
  client_errors bigint not null,
  unpriced_requests bigint not null,
  prompt_tokens numeric not null,
  completion_tokens numeric not null,
  -- Null when none of the requests has a price.
  cost_micros numeric,
  duration_ms numeric not null,
  primary key (hour, key)
);
create index usage_hours_budget on op.usage_hours (principal_id, budget_window)
  where budget_window is not null;

-- Drops the months that ended before `horizon` and hold no row; answers how many. A report that reads the table at the time is not
-- waited for: the next run drops them.
create function op.drop_empty_usage_months(horizon timestamptz) returns bigint language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  month_name text;
  is_empty boolean;
  dropped bigint := 0;
begin
  for month_name in
    select relname from pg_class join pg_inherits on inhrelid = pg_class.oid
    where inhparent = 'op.usage_events'::regclass and relname ~ '^usage_events_\d{4}_\d\d$'
      and make_timestamptz(substr(relname, 14, 4)::int, substr(relname, 19, 2)::int, 1, 0, 0, 0, 'UTC')
        at time zone 'UTC' + interval '1 month' <= horizon at time zone 'UTC'
    order by relname
  loop
    execute format('select not exists (select from op.%I)', month_name) into is_empty;
    continue when not is_empty;
    -- The parent first, as whoever inserts takes them.
    lock table only op.usage_events in access exclusive mode nowait;
    execute format('select not exists (select from op.%I)', month_name) into is_empty;
    continue when not is_empty;
    execute format('drop table op.%I', month_name);
    dropped := dropped + 1;
  end loop;
  return dropped;
exception when lock_not_available then
  return 0;
end $$;

-- Refusals without a principal (401) or without a model (404), a replica and minute each; past retention an hour each, of no replica.
create table op.refused_unattributed (
  minute timestamptz(3) not null,
  replica text not null,
  unauthenticated bigint not null check (unauthenticated >= 0),
  model_not_found bigint not null check (model_not_found >= 0),
  primary key (minute, replica)
);
-- What a replica last reported since its start, whichever control replica it told: the next report counts from there.
create table op.refused_reports (
  replica text primary key,
  unauthenticated bigint not null,
  model_not_found bigint not null,
  reported_at timestamptz(3) not null
);
create index refused_reports_at on op.refused_reports (reported_at);
