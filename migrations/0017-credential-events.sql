-- The events that say who gave which password, and which keys were revoked, are found without reading the log.
create index events_credentials on es.events (type, position)
  where type in ('ApiKeyRevoked', 'ApiKeyEnabled', 'PrincipalPasswordSet');
