-- The history is asked for what one actor did, or one kind of actors: a rare one lies behind any number of others.

create index events_actor_kind on es.events ((metadata -> 'actor' ->> 'kind'), position);
create index events_actor on es.events
  (((metadata -> 'actor' ->> 'principal_id')::bigint), position);
