-- Evidence of the log: what was signed of it, and which proxy served what of it. Both are facts, written once.

create or replace function es.forbid() returns trigger language plpgsql as $$
begin
  raise exception '%.% is append-only (%)', tg_table_schema, tg_table_name, tg_op using errcode = 'ES000';
end $$;

create table es.checkpoints (
  position bigint primary key check (position > 0),
  -- A signed note over the position and the hash of the chain there.
  note text not null,
  created_at timestamptz(3) not null default now()
);
create trigger checkpoints_no_change before update or delete or truncate on es.checkpoints
  for each statement execute function es.forbid();
alter table es.checkpoints enable always trigger checkpoints_no_change;
grant select, insert on es.checkpoints to gw_app;

-- The keys that signed are found without reading the log.
create index events_audit_key on es.events (position) where type = 'AuditKeySet';

-- When a replica first reported that it serves a version.
create table op.snapshot_published (
  replica text not null,
  version bigint not null,
  log_position bigint,
  log_hash text,
  reported_at timestamptz(3) not null,
  primary key (replica, version)
);
create index snapshot_published_at on op.snapshot_published (reported_at);
