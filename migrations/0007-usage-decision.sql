-- What decided the route of a request, beside the route's text: an id outlives a rule's place in its list. Null where a provider
-- model was named, and in the rows of proxies that do not report it.

alter table op.usage_events add column frontend_model_id bigint, add column rule_id bigint;
