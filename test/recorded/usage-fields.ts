// Checks that gw knows every field of the usage in recorded answers: it counts, or is known not to.

import { isGiven } from '../../src/usage/dialects/field.ts';
import type { Given } from '../../src/usage/dialects/field.ts';
import { unknownFields } from '../../src/usage/read-report.ts';
import { valuesOf } from './reading.ts';
import type { Recording } from './recordings.ts';
import type { Outcome } from './replay.ts';

/** One outcome for each answer with usage. */
export function countAll(recordings: readonly Recording[]): readonly Outcome[] {
  return recordings.flatMap((recording) => {
    const { vendor, id, status, isStream, response } = recording;
    const text = response.toString();
    if (status >= 400 || !/"usage|"billed_units/.test(text)) return [];
    const answers = isStream ? valuesOf(text) : [JSON.parse(text)];
    const unknown = new Set(answers.flatMap(usagesIn).flatMap(unknownFields));
    const problems = [...unknown].map((path) => `unknown usage field ${path}`);
    return [{ vendor, id, kind: 'counted', bytes: response.length, problems }];
  });
}

const keys = new Set(['usage', 'usageMetadata', 'billed_units']);

function usagesIn(value: unknown): readonly Given[] {
  if (Array.isArray(value)) return value.flatMap(usagesIn);
  if (!isGiven(value)) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    keys.has(name) && isGiven(member) ? [member] : usagesIn(member),
  );
}
