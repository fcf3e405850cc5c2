-- A session belongs to the password that began it: another password ends it, whoever set that and wherever it was set.
-- Null is a session of a release before this; it is not valid any more.
alter table op.sessions add column password_ref uuid;
