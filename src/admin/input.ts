// Reads input by its schema. What does not fit is a refusal that names the field.

import type { z } from 'zod';

import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import { isStorable } from '../lib/text.ts';

export type RawInput = Readonly<{ params: unknown; query: unknown; body: unknown }>;

/** Wrapped, so that a value can never be taken for a refusal. */
export function readInput<Schema extends z.ZodType>(
  schema: Schema,
  raw: unknown,
): Readonly<{ value: z.output<Schema> }> | Refusal {
  const read = schema.safeParse(raw);
  if (read.success) return { value: read.data };
  const [issue] = read.error.issues;
  return issue === undefined ? refuse('invalid', 'the request is malformed') : refusalOf(issue);
}

function refusalOf(issue: z.core.$ZodIssue): Refusal {
  const place = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    const param = place === '' ? key : `${place}.${key}`;
    return refuse('invalid', `${param} is not a known field`, { param });
  }
  if (place === '') return refuse('invalid', `body: ${lowerFirst(issue.message)}`);
  return refuse('invalid', `${place}: ${lowerFirst(issue.message)}`, { param: place });
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** What people and their programs send is refused whole for one text that cannot be stored; null when all of it can. */
export const refuseUnfitText = ({ params, query, body }: RawInput): Refusal | null =>
  unfitText(params, []) ?? unfitText(query, []) ?? unfitText(body, []);

/** Text that the database would refuse, or change. */
function unfitText(value: unknown, place: readonly string[]): Refusal | null {
  if (typeof value === 'string') {
    if (isStorable(value)) return null;
    const param = place.join('.');
    return refuse('invalid', `${param} must be well-formed text without NUL`, { param });
  }
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, member] of Object.entries(value)) {
    const unfit = unfitText(key, [...place, key]) ?? unfitText(member, [...place, key]);
    if (unfit !== null) return unfit;
  }
  return null;
}
