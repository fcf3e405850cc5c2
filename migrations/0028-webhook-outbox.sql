-- The outbox of webhooks: notifications wait here until each endpoint accepted them. A fact of operation and not an event: what was
-- sent to whom changes no configuration.

create table op.notifications (
  -- Equal over all retries and endpoints; receivers recognise a repeated delivery by it.
  id uuid primary key,
  seq bigserial,
  type text not null,
  at timestamptz(3) not null,
  data jsonb not null,
  -- False until a control plane passed it to --webhook-url too.
  is_passed_on boolean not null,
  -- When its deliveries were made; null if they are not made yet.
  routed_at timestamptz(3)
);
create index notifications_unrouted on op.notifications (seq) where routed_at is null;
create index notifications_routed on op.notifications (routed_at);

create table op.webhook_deliveries (
  -- Ascending in the order of delivery at an endpoint.
  id bigserial primary key,
  endpoint_id bigint not null,
  notification_id uuid not null references op.notifications,
  state text not null check (state in ('pending', 'delivered', 'failed')),
  queued_at timestamptz(3) not null,
  attempts integer not null default 0,
  -- Of the last attempt: when it ended, the status of the answer, and why it was not accepted.
  attempted_at timestamptz(3),
  status integer,
  error text,
  -- When the next attempt is due, and after when no other one follows.
  next_attempt_at timestamptz(3) not null,
  retry_until timestamptz(3) not null,
  unique (endpoint_id, notification_id)
) with (fillfactor = 70);
create index webhook_deliveries_pending on op.webhook_deliveries (endpoint_id, id) where state = 'pending';
create index webhook_deliveries_by_endpoint on op.webhook_deliveries (endpoint_id, id);
create index webhook_deliveries_by_notification on op.webhook_deliveries (notification_id);

-- One control plane at a time delivers to an endpoint. Its turn ends by itself, so that a crash blocks no endpoint.
create table op.webhook_turns (
  endpoint_id bigint primary key,
  holder uuid,
  held_until timestamptz(3) not null,
  -- Notifications that were not queued because the queue of the endpoint was full.
  dropped bigint not null default 0
) with (fillfactor = 50);
