-- The history is asked for events of one type: a rare one lies behind any number of others.

create index events_type on es.events (type, position);
