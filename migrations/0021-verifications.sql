-- When the log, and what is derived from it, was last verified, by whom and with what result. A fact of operation and not an event: a
-- verification changes nothing, and one that finds the chain broken must not have to write to it.

create table op.verifications (
  id bigserial primary key,
  -- The hash chain of the log with its checkpoints, or the read models against a rebuild.
  subject text not null check (subject in ('chain', 'read_models')),
  verified_at timestamptz(3) not null,
  -- The account and the host that ran it.
  verified_by text not null,
  -- Up to which position of the log.
  position bigint not null,
  problem_count bigint not null check (problem_count >= 0),
  -- The first of them.
  problem text,
  check ((problem_count = 0) = (problem is null))
);
create index verifications_subject on op.verifications (subject, id);
