-- The leases of dynamic providers, beside the log: beats come by the dozen a second and are of no value to an audit. A provider
-- without a row has no lease, which reads as not lapsed.

create table op.provider_leases (
  provider_id bigint primary key,
  -- What the agent that vouches for the provider says of itself.
  node text not null,
  engine text,
  ttl_seconds bigint not null check (ttl_seconds > 0),
  lease_expires_at timestamptz(3) not null
);
