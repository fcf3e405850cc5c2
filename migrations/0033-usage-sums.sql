-- Sums of usage that are kept with the rows, so that reports over any time range read few rows.

-- All hours are read, which can take minutes. Older control planes wait with rolling up, so that each hour is added once.
set local statement_timeout = 0;
select pg_advisory_xact_lock(7100004);

-- A batch adds deltas: its rows by minute and by all keys. Later, deltas become minutes and hours of each
-- dimension, hours become days, and days become months. A pending row is not part of the next precision yet.
-- Several rows can have the same keys. Amounts are at most 2^53 - 1.
create table op.usage_sums (
  -- delta, minute, hour, day or month, in UTC.
  precision text not null,
  period timestamptz(3) not null,
  -- Empty for deltas. Others have only the keys of their dimension.
  dimension text not null,
  is_pending boolean not null,
  -- Counts once this recomputation of costs is applied.
  reprice_id bigint,
  principal_id bigint,
  principal text,
  model text,
  provider text,
  virtual_model text,
  tag text,
  service_tier text,
  currency text not null,
  -- True for requests that an earlier release stored as hours: their latencies, attempts and statuses are unknown.
  is_rolled_up boolean not null default false,
  requests bigint not null,
  upstream_errors bigint not null,
  client_errors bigint not null,
  unpriced_requests bigint not null,
  prompt_tokens bigint not null,
  completion_tokens bigint not null,
  cache_read_tokens bigint,
  cache_write_5m_tokens bigint,
  cache_write_1h_tokens bigint,
  input_audio_tokens bigint,
  input_image_tokens bigint,
  reasoning_tokens bigint,
  output_audio_tokens bigint,
  output_image_tokens bigint,
  cost_micros bigint,
  correction_micros bigint,
  estimated_requests bigint not null,
  estimated_prompt_tokens bigint not null,
  estimated_completion_tokens bigint not null,
  estimated_cost_micros bigint,
  refused_requests bigint not null,
  refused_authorisation bigint not null,
  refused_rate_limit bigint not null,
  refused_budget bigint not null,
  refused_no_backend bigint not null,
  refused_backend_overloaded bigint not null,
  failed_attempts bigint not null,
  upstream_success bigint not null,
  upstream_client_error bigint not null,
  upstream_rate_limited bigint not null,
  upstream_server_error bigint not null,
  answered_ms bigint not null,
  -- Latencies by bucket. Without counts, each bucket in the list is one request.
  duration_buckets smallint[],
  duration_counts bigint[],
  ttft_buckets smallint[],
  ttft_counts bigint[]
) partition by list (precision);
create table op.usage_sums_delta partition of op.usage_sums for values in ('delta');
create table op.usage_sums_minute partition of op.usage_sums for values in ('minute');
create table op.usage_sums_hour partition of op.usage_sums for values in ('hour');
create table op.usage_sums_day partition of op.usage_sums for values in ('day');
create table op.usage_sums_month partition of op.usage_sums for values in ('month');
create index on op.usage_sums_delta (period);
create index on op.usage_sums_delta (reprice_id) where reprice_id is not null;
create index on op.usage_sums_minute (dimension, period);
create index on op.usage_sums_hour (dimension, period);
create index on op.usage_sums_day (dimension, period);
create index on op.usage_sums_month (dimension, period);
create index on op.usage_sums_hour (period) where is_pending;
create index on op.usage_sums_day (period) where is_pending;
create index on op.usage_sums_month (period) where is_pending;

create table op.usage_horizons (
  only_one boolean primary key default true check (only_one),
  -- Minutes before this are deleted.
  minutes_from timestamptz(3) not null,
  -- Rows before this are rolled up: ranges begin and end with an hour.
  rows_from timestamptz(3) not null
);
insert into op.usage_horizons (minutes_from, rows_from)
select date_trunc('hour', now()) - interval '8 days',
  coalesce(max(hour) + interval '1 hour', 'epoch') from op.usage_hours;

insert into op.usage_sums (precision, period, dimension, is_pending, is_rolled_up, principal_id,
  principal, model, provider, virtual_model, tag, service_tier, currency,
  requests, upstream_errors, client_errors, unpriced_requests, prompt_tokens, completion_tokens,
  cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, input_audio_tokens,
  input_image_tokens, reasoning_tokens, output_audio_tokens, output_image_tokens, cost_micros,
  correction_micros, estimated_requests, estimated_prompt_tokens, estimated_completion_tokens,
  estimated_cost_micros, refused_requests, refused_authorisation, refused_rate_limit,
  refused_budget, refused_no_backend, refused_backend_overloaded, failed_attempts, upstream_success,
  upstream_client_error, upstream_rate_limited, upstream_server_error, answered_ms)
select 'delta', hour, '', true, true, principal_id, principal, model, provider, virtual_model, tag,
  service_tier, coalesce(currency, 'USD'),
  requests,
  upstream_errors,
  client_errors,
  unpriced_requests,
  least(prompt_tokens, 9007199254740991),
  least(completion_tokens, 9007199254740991),
  case when cache_read_tokens > 9007199254740991 then 9007199254740991 else cache_read_tokens end,
  case when cache_write_5m_tokens > 9007199254740991 then 9007199254740991 else cache_write_5m_tokens end,
  case when cache_write_1h_tokens > 9007199254740991 then 9007199254740991 else cache_write_1h_tokens end,
  case when input_audio_tokens > 9007199254740991 then 9007199254740991 else input_audio_tokens end,
  case when input_image_tokens > 9007199254740991 then 9007199254740991 else input_image_tokens end,
  case when reasoning_tokens > 9007199254740991 then 9007199254740991 else reasoning_tokens end,
  case when output_audio_tokens > 9007199254740991 then 9007199254740991 else output_audio_tokens end,
  case when output_image_tokens > 9007199254740991 then 9007199254740991 else output_image_tokens end,
  case when cost_micros > 9007199254740991 then 9007199254740991 else cost_micros end,
  case when correction_micros > 9007199254740991 then 9007199254740991 else correction_micros end,
  estimated_requests,
  least(estimated_prompt_tokens, 9007199254740991),
  least(estimated_completion_tokens, 9007199254740991),
  case when estimated_cost_micros > 9007199254740991 then 9007199254740991 else estimated_cost_micros end,
  case when refusal is null then 0 else requests end,
  case when refusal = 'authorisation' then requests else 0 end,
  case when refusal = 'rate_limit' then requests else 0 end,
  case when refusal = 'budget' then requests else 0 end,
  case when refusal = 'no_backend' then requests else 0 end,
  case when refusal = 'backend_overloaded' then requests else 0 end,
  0,
  0,
  0,
  0,
  0,
  case when refusal is null then least(duration_ms, 9007199254740991) else 0 end
from op.usage_hours;

insert into op.usage_sums (precision, period, dimension, is_pending, reprice_id, principal_id,
  principal, model, provider, virtual_model, tag, service_tier, currency,
  requests, upstream_errors, client_errors, unpriced_requests, prompt_tokens, completion_tokens,
  cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, input_audio_tokens,
  input_image_tokens, reasoning_tokens, output_audio_tokens, output_image_tokens, cost_micros,
  correction_micros, estimated_requests, estimated_prompt_tokens, estimated_completion_tokens,
  estimated_cost_micros, refused_requests, refused_authorisation, refused_rate_limit,
  refused_budget, refused_no_backend, refused_backend_overloaded, failed_attempts, upstream_success,
  upstream_client_error, upstream_rate_limited, upstream_server_error, answered_ms)
select 'delta', date_trunc('minute', held.at), '', true, reprice_id, principal_id, principal, model,
  provider, virtual_model, tag, service_tier, made.currency,
  0, 0, 0, 0, 0, 0, null, null, null, null, null, null, null, null, null, sum(delta_micros), 0, 0,
  0, sum(nullif(estimated_delta_micros, 0)), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
from op.usage_corrections made
join op.usage_events held on held.id = made.usage_id and held.at = made.at
group by date_trunc('minute', held.at), reprice_id, principal_id, principal, model, provider,
  virtual_model, tag, service_tier, made.currency;

-- Rows before this migration are added to the sums in the background, and those of older control planes. This is the last
-- part of the migration, because it locks the table until the migration ends.
alter table op.usage_events add column is_summed boolean not null default false;
-- Existing months get the index in the background, because building it would stop the intake of usage.
create index usage_events_unsummed on only op.usage_events (at) where not is_summed;

-- An older control plane that still runs must not roll up rows that are not in the sums yet: reports would lose them.
create function op.keep_unsummed() returns trigger language plpgsql as $$
begin
  raise exception 'usage row % is not in the sums for reports yet', old.id
    using hint = 'only control planes of the newest release roll up usage';
end $$;
create trigger keep_unsummed before delete on op.usage_events
  for each row when (not old.is_summed) execute function op.keep_unsummed();
