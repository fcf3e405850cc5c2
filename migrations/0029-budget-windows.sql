-- Calendar windows, alerts and spend anomalies of budgets.

alter table op.budget_usage
  -- The end of a calendar window, fixed when the window starts. Null for windows of a fixed length.
  add column window_end timestamptz(3),
  -- The end of the window that proxies were last told.
  add column published_window_end timestamptz(3),
  -- The highest percentages of the caps that a notification was sent for in this window.
  add column alerted_tokens_percent smallint not null default 0,
  add column alerted_cost_percent smallint not null default 0;

-- Assigns the check for spend anomalies to one control plane at a time.
create table op.spend_watch (
  only_one boolean primary key default true check (only_one),
  checked_at timestamptz(3) not null
);
insert into op.spend_watch (checked_at) values ('-infinity');

-- The anomalies that a notification was sent for. Principal 0 is the sum of all.
create table op.spend_anomalies (
  hour timestamptz(3) not null,
  principal_id bigint not null,
  primary key (hour, principal_id)
);
