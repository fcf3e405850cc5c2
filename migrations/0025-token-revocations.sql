-- A restore asks which admin tokens were revoked, as it asks for keys: the index has to know their event.
drop index es.events_credentials;
create index events_credentials on es.events (type, position)
  where type in ('ApiKeyRevoked', 'ApiKeyEnabled', 'AdminTokenRevoked', 'PrincipalPasswordSet');
