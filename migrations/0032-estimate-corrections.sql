-- Compensates the estimate that a budget was charged with, when a correction gives a row without a cost its price.

alter table op.usage_corrections add column estimated_delta_micros bigint not null default 0;
