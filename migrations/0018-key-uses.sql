-- When each API key was last used, kept as usage comes in: looking it up among the rows would read all of them.
create table op.key_uses (
  key_id bigint primary key,
  -- Of its newest usage row, and not later than that was received.
  last_used_at timestamptz(3) not null
) with (fillfactor = 70);

insert into op.key_uses (key_id, last_used_at)
  select key_id, max(least(at, received_at)) from op.usage_events
  where key_id is not null group by key_id;
