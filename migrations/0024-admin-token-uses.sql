-- When each admin token was last used. It is not configuration, so it has no event.
create table op.admin_token_uses (
  token_id bigint primary key,
  last_used_at timestamptz(3) not null
) with (fillfactor = 70);
