-- Completes the ledger: every count of a request, its price, numbers that show missing rows, and corrections.

-- Null in rows of proxies that do not report them: unknown, never 0.
alter table op.usage_events
  add column cache_read_tokens bigint,
  add column cache_write_5m_tokens bigint,
  add column cache_write_1h_tokens bigint,
  add column input_audio_tokens bigint,
  add column input_image_tokens bigint,
  add column reasoning_tokens bigint,
  add column output_audio_tokens bigint,
  -- An object of counts by tool.
  add column server_tool_calls jsonb,
  add column service_tier text,
  -- ISO 4217. Null means USD.
  add column currency text,
  -- The version of the model's price card that the cost was computed with.
  add column price_version bigint,
  -- The cost that the provider reported, which takes precedence over the price card.
  add column reported_cost_micros bigint,
  -- The process that recorded the row, and the number that the process gave it.
  add column run text,
  add column seq bigint;

-- A sum of token counts is null when no request reported the count.
alter table op.usage_hours
  add column service_tier text,
  add column currency text,
  add column cache_read_tokens numeric,
  add column cache_write_5m_tokens numeric,
  add column cache_write_1h_tokens numeric,
  add column input_audio_tokens numeric,
  add column input_image_tokens numeric,
  add column reasoning_tokens numeric,
  add column output_audio_tokens numeric,
  -- The corrections of these requests, in addition to cost_micros.
  add column correction_micros numeric,
  -- The requests whose rows had a number.
  add column numbered_requests bigint not null default 0;

-- Control totals of op.usage_hours by day: hours that someone changed or deleted no longer add up to them.
create table op.usage_fold_totals (
  day date primary key,
  requests bigint not null,
  prompt_tokens numeric not null,
  completion_tokens numeric not null,
  -- Amounts of all currencies together. Only compared, never shown.
  amounts numeric not null
);
insert into op.usage_fold_totals
select (hour at time zone 'UTC')::date, sum(requests),
  sum(prompt_tokens + estimated_prompt_tokens),
  sum(completion_tokens + estimated_completion_tokens),
  coalesce(sum(coalesce(cost_micros, 0) + coalesce(estimated_cost_micros, 0)), 0)
from op.usage_hours group by 1;

-- The numbers of the rows of each proxy process. A process numbers its rows from 1.
create table op.usage_runs (
  replica text not null,
  run text not null,
  -- Numbers that were stored in op.usage_events, and those of them that were since rolled up.
  received int8multirange not null default '{}',
  folded int8multirange not null default '{}',
  -- The highest number that the process is known to have assigned, and when it was first reported.
  assigned bigint not null default 0,
  assigned_at timestamptz(3) not null,
  primary key (replica, run)
);

-- Rows that were dropped, by reason. `run` is empty for rows without a number.
create table op.usage_drops (
  reason text not null,
  replica text not null,
  run text not null,
  numbers int8multirange not null default '{}',
  rows bigint not null default 0,
  -- The rows among them that an event in the log has counted.
  announced_rows bigint not null default 0,
  announced_at timestamptz(3),
  primary key (reason, replica, run)
);

-- Each recomputation of costs with another price card. Its corrections count once it is applied.
create table op.usage_reprices (
  id bigserial primary key,
  started_at timestamptz(3) not null,
  -- A run that stops without ending loses its place after a while.
  heard_at timestamptz(3) not null,
  applied_at timestamptz(3)
);
create unique index usage_reprices_running on op.usage_reprices ((true)) where applied_at is null;

-- Compensating entries: the cost of a row is its booked cost plus the deltas of its applied corrections.
create table op.usage_corrections (
  usage_id text not null,
  at timestamptz not null,
  reprice_id bigint not null,
  currency text not null,
  delta_micros bigint not null,
  -- The cost of the row after this correction. Null means unpriced.
  cost_micros bigint,
  price_version bigint,
  primary key (usage_id, at, reprice_id, currency)
);
create index usage_corrections_at on op.usage_corrections (at);
create index usage_corrections_reprice on op.usage_corrections (reprice_id);
