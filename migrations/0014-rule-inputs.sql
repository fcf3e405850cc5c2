-- What rules asked of a request beside what its row says, so that it can be routed again as it was (src/usage/rule-inputs.ts). Null
-- where no rule asked, and in the rows of proxies that do not report it. Never a prompt, never a header value that no rule names.

alter table op.usage_events add column rule_inputs jsonb;
