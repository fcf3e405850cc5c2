// Parses input by its schema. A refusal names the field.

import { z } from 'zod';

import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { plainly, problemOf } from '../../lib/plain-issue.ts';
import { isStorable, listed, shortened } from '../../lib/text.ts';

export type RawInput = Readonly<{ params: unknown; query: unknown; body: unknown }>;

/**
 * `echo` repeats the input in the refusal. Only for paths and queries, which contain no secrets.
 */
type Options = Readonly<{ echo?: boolean }>;

/** Wrapped, so that a value is never mistaken for a refusal. */
export function readInput<Schema extends z.ZodType>(
  schema: Schema,
  raw: unknown,
  { echo = false }: Options = {},
): Readonly<{ value: z.output<Schema> }> | Refusal {
  const read = schema.safeParse(raw, plainly);
  if (read.success) return { value: read.data };
  const { issues } = read.error;
  // An unknown field is reported first, because it is usually a misspelled required field.
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  if (issue === undefined) return refuse('invalid', 'the request is malformed');
  const refusal = refusalOf(issue, problemOf(issue, { echo }));
  return isParameter(issue) && echo
    ? { ...refusal, message: refusal.message + knownIn(schema) }
    : refusal;
}

/** The first unknown name that is not nested in another value. */
const isParameter = ({ code, path }: z.core.$ZodIssue): boolean =>
  code === 'unrecognized_keys' && path.length === 0;

function knownIn(schema: z.ZodType): string {
  const names = schema instanceof z.ZodObject ? Object.keys(schema.shape).toSorted() : [];
  return names.length === 0 ? '; this path takes no parameters' : `; known: ${listed(names)}`;
}

function refusalOf(issue: z.core.$ZodIssue, message: string): Refusal {
  const place = shortened(issue.path.map(String).join('.'));
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    const param = shortened(place === '' ? key : `${place}.${key}`);
    return refuse('invalid', `${param} is not a known field`, { param });
  }
  if (place === '') return refuse('invalid', `body: ${message}`);
  return refuse('invalid', `${place}: ${message}`, { param: place });
}

/** The values of these fields are never repeated. */
export const secretFields: ReadonlySet<string> = new Set([
  'password',
  'upstream_api_key',
  'secret',
  'routing_key',
]);

/** Null if all text in the input can be stored. */
export const refuseUnfitText = ({ params, query, body }: RawInput): Refusal | null =>
  unfitText(params, []) ?? unfitText(query, []) ?? unfitText(body, []);

/** Finds text that PostgreSQL would refuse or change. */
function unfitText(value: unknown, place: readonly string[]): Refusal | null {
  if (typeof value === 'string') {
    if (isStorable(value)) return null;
    const param = shortened(place.join('.'));
    return refuse('invalid', `${param} must be well-formed text without NUL`, { param });
  }
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, member] of Object.entries(value)) {
    const unfit = unfitText(key, [...place, key]) ?? unfitText(member, [...place, key]);
    if (unfit !== null) return unfit;
  }
  return null;
}
