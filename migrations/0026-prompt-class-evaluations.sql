-- The last evaluations of prompt classes, so that every operator sees them and the next one can be compared. A fact of operation and not
-- an event: an evaluation changes no configuration.

create table op.prompt_class_evaluations (
  id bigserial primary key,
  evaluated_at timestamptz(3) not null,
  -- The principal that ran it.
  principal_id bigint not null,
  -- The configuration that was evaluated.
  snapshot_version bigint not null,
  -- The identities of the encoders; null when the control plane had none of that tier.
  fast_encoder text,
  refined_encoder text,
  -- The answer of the evaluation: names, figures, ids and labels, and no text of an example.
  result jsonb not null
);
