-- Spending of each currency has its own anomalies.

alter table op.spend_anomalies
  add column currency text not null,
  drop constraint spend_anomalies_pkey,
  add primary key (hour, principal_id, currency);
