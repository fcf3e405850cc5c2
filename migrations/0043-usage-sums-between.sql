-- Sums of five minutes, six hours and ten days, so that reports read fewer sums at the ends of their range.

-- Existing sums are copied.
set local statement_timeout = 0;
-- Waits for control planes that merge sums.
select pg_advisory_xact_lock(7100009);

create index on op.usage_sums_minute (period) where is_pending;

create table op.usage_sums_five_minutes (like op.usage_sums including defaults);
insert into op.usage_sums_five_minutes select * from op.usage_sums_minute where not is_pending;
update op.usage_sums_five_minutes set precision = 'five_minutes', period = date_bin('5 minutes', period, 'epoch');
alter table op.usage_sums attach partition op.usage_sums_five_minutes for values in ('five_minutes');
create index on op.usage_sums_five_minutes (dimension, period);
create index on op.usage_sums_five_minutes (period) where is_pending;
create index on op.usage_sums_five_minutes (principal_id, period) where principal_id is not null;
create index on op.usage_sums_five_minutes (model, period) where dimension = 'model';
create index on op.usage_sums_five_minutes (provider, period) where dimension = 'provider';

create table op.usage_sums_six_hours (like op.usage_sums including defaults);
insert into op.usage_sums_six_hours select * from op.usage_sums_hour where not is_pending;
update op.usage_sums_six_hours set precision = 'six_hours', period = date_bin('6 hours', period, 'epoch');
alter table op.usage_sums attach partition op.usage_sums_six_hours for values in ('six_hours');
create index on op.usage_sums_six_hours (dimension, period);
create index on op.usage_sums_six_hours (period) where is_pending;
create index on op.usage_sums_six_hours (principal_id, period) where principal_id is not null;
create index on op.usage_sums_six_hours (model, period) where dimension = 'model';
create index on op.usage_sums_six_hours (provider, period) where dimension = 'provider';

create table op.usage_sums_ten_days (like op.usage_sums including defaults);
insert into op.usage_sums_ten_days select * from op.usage_sums_day where not is_pending;
update op.usage_sums_ten_days set precision = 'ten_days', period = date_trunc('month', period, 'UTC')
    + least((extract(day from period at time zone 'UTC')::integer - 1) / 10, 2) * interval '240 hours';
alter table op.usage_sums attach partition op.usage_sums_ten_days for values in ('ten_days');
create index on op.usage_sums_ten_days (dimension, period);
create index on op.usage_sums_ten_days (period) where is_pending;
create index on op.usage_sums_ten_days (principal_id, period) where principal_id is not null;
create index on op.usage_sums_ten_days (model, period) where dimension = 'model';
create index on op.usage_sums_ten_days (provider, period) where dimension = 'provider';
