-- Counts the requests that have a price by corrections alone, so that sums tell a cost of 0 from none.

alter table op.usage_corrections
  -- 1 if the row has a price in this currency from this correction on, -1 if it no longer has.
  add column priced smallint not null default 0;
alter table op.usage_hours add column corrected_prices numeric not null default 0;
alter table op.usage_sums add column corrected_prices bigint not null default 0;
