// Defines the query parameters that select usage rows.

import { z } from 'zod';

import { timestampField } from '../../lib/fields.ts';
import { isStorable } from '../../lib/text.ts';
import { refusalReason } from '../../usage/usage-event.ts';
import { wholeNumber } from '../http/fields.ts';

/** The name at the time of the request. It may no longer exist. */
const recordedName = z.string().min(1).max(2_000).refine(isStorable);
const id = wholeNumber({ from: 1 });
const flag = z.enum(['true', 'false']).transform((given) => given === 'true');
const amount = wholeNumber({ from: 0 });

export const usageFilter = {
  since: timestampField.optional(),
  until: timestampField.optional(),
  principal_id: id.optional(),
  key_id: id.optional(),
  model: recordedName.optional(),
  virtual_model: recordedName.optional(),
  provider: recordedName.optional(),
  tag: recordedName.optional(),
  prompt_class: recordedName.optional(),
  service_tier: recordedName.optional(),
  path: recordedName.optional(),
  replica: recordedName.optional(),
  refusal: refusalReason.optional(),
  status: z
    .string()
    .regex(
      /^(?:[1-5]\d\d|[1-5]xx|none)$/,
      'must be a status such as 429, a class such as 5xx, or none',
    )
    .optional(),
  outcome: z.enum(['succeeded', 'failed']).optional(),
  stream: flag.optional(),
  cached: flag.optional(),
  priced: flag.optional(),
  duration_ms_from: amount.optional(),
  duration_ms_below: amount.optional(),
  ttft_ms_from: amount.optional(),
  ttft_ms_below: amount.optional(),
  tokens_from: amount.optional(),
  tokens_below: amount.optional(),
  cost_micros_from: amount.optional(),
  cost_micros_below: amount.optional(),
} as const;
