-- A session holds only if the control plane that began it sealed its row with a key that is not in the database. Rows without a seal, such
-- as those of earlier releases, open nothing.
alter table op.sessions add column seal bytea check (octet_length(seal) = 32);
