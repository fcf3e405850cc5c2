-- Adds the image tokens of answers to the counts of usage rows.

alter table op.usage_events add column output_image_tokens bigint;
alter table op.usage_hours add column output_image_tokens numeric;
