// Parses a moment of the log: a time, a position or a snapshot version. The last two share one
// number line.

import { z } from 'zod';

import { timestampField } from '../../lib/fields.ts';

/** `at` is epoch milliseconds. */
export type Moment = Readonly<{ position: number }> | Readonly<{ at: number }>;

const wholeNumber = /^(?:0|[1-9]\d{0,14})$/;

/** `1482`, or `2026-11-21T10:00:00Z`. */
export const momentField = z
  .string()
  .refine(
    (text) => wholeNumber.test(text) || timestampField.safeParse(text).success,
    'must be a snapshot version, a position of the log or an RFC 3339 time',
  )
  .meta({
    description:
      'A snapshot version, a position of the log or an RFC 3339 time. The response shows the configuration at that moment.',
    pattern: '^(?:0|[1-9][0-9]{0,14}|[0-9]{4}-[0-9]{2}-[0-9]{2}T.{6,})$',
    examples: ['42', '2026-11-21T10:00:00Z'],
  })
  .transform((text): Moment =>
    wholeNumber.test(text) ? { position: Number(text) } : { at: Date.parse(text) },
  );
