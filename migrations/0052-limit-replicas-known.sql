-- The smallest number of proxies that each proxy may know of, which decides what it may spend without an allotment.

alter table op.limit_replicas drop column is_alone, add column knows integer not null default 1;
