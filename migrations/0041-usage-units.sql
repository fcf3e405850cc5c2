-- Adds what requests used besides tokens and calls of tools: generated images, seconds, characters.

-- An object of counts by name. Null in rows of older proxies, and if nothing was counted.
alter table op.usage_events add column units jsonb;
