-- Whether a proxy may still spend all of every budget, because it was alone when it was last answered.

alter table op.limit_replicas add column is_alone boolean not null default false;
