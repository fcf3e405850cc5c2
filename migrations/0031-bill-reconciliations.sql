-- Reports of comparisons of a provider's bill with the ledger. The log has the totals of each; this table has the differences.

create table op.bill_reconciliations (
  id uuid primary key,
  created_at timestamptz(3) not null,
  -- Null for reports made on the command line.
  principal_id bigint,
  -- The report in JSON, without its differences.
  report jsonb not null,
  differences jsonb not null
);
create index bill_reconciliations_created on op.bill_reconciliations (created_at);
