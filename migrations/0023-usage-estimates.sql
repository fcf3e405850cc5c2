-- Answers whose usage could not be read. `usage_estimated` says that the counts of tokens are estimates; what they cost is in a column of
-- its own, because such a row has no cost. Sums keep both apart from what was reported.

alter table op.usage_events
  add column usage_estimated boolean not null default false,
  add column estimated_cost_micros bigint;
alter table op.usage_hours
  add column estimated_requests bigint not null default 0,
  add column estimated_prompt_tokens numeric not null default 0,
  add column estimated_completion_tokens numeric not null default 0,
  -- Null when none of these requests has a price.
  add column estimated_cost_micros numeric;
