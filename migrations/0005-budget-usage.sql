-- What is spent of budgets: counters beside the usage rows, because they change with every batch of them. A row is there as long
-- as its budget; caps and window are in the log.

create table op.budget_usage (
  principal_id bigint primary key,
  window_start timestamptz(3) not null,
  tokens_used bigint not null check (tokens_used >= 0),
  cost_used_micros bigint not null check (cost_used_micros >= 0),
  -- What counted as spent when the budget was made; 0 again with the next window.
  initial_tokens_used bigint not null check (initial_tokens_used >= 0),
  -- What proxies were last told; null before the first time.
  published_tokens_used bigint,
  published_cost_used_micros bigint
);

-- Counts what proxies were told, for all replicas alike: equal numbers stand for equal budgets.
create table op.budget_overlay (
  only_one boolean primary key default true check (only_one),
  seq bigint not null check (seq >= 0)
);
insert into op.budget_overlay (seq) values (0);

-- The window_start of the budget that a row was counted in; null when there was none. The rows of a window add up to its counter.
alter table op.usage_events add column budget_window timestamptz(3);
