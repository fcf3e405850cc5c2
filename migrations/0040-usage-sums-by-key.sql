-- Finds the sums of one principal, model or provider, for its series and for the erasure of the name of a principal.

create index on op.usage_sums_minute (principal_id, period) where principal_id is not null;
create index on op.usage_sums_minute (model, period) where dimension = 'model';
create index on op.usage_sums_minute (provider, period) where dimension = 'provider';
create index on op.usage_sums_hour (principal_id, period) where principal_id is not null;
create index on op.usage_sums_hour (model, period) where dimension = 'model';
create index on op.usage_sums_hour (provider, period) where dimension = 'provider';
create index on op.usage_sums_day (principal_id, period) where principal_id is not null;
create index on op.usage_sums_day (model, period) where dimension = 'model';
create index on op.usage_sums_day (provider, period) where dimension = 'provider';
create index on op.usage_sums_month (principal_id, period) where principal_id is not null;
create index on op.usage_sums_month (model, period) where dimension = 'model';
create index on op.usage_sums_month (provider, period) where dimension = 'provider';
