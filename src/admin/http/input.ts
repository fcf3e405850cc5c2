// Reads input by its schema. What does not fit is a refusal that names the field.

import { z } from 'zod';

import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { isStorable, listed, shortened } from '../../lib/text.ts';
import { plainIssue } from '../../lib/plain-issue.ts';

export type RawInput = Readonly<{ params: unknown; query: unknown; body: unknown }>;

/** `echo`: of a path or a query, whose texts may be repeated in the refusal, because no secret belongs there. */
type Options = Readonly<{ echo?: boolean }>;

/** Wrapped, so that a value can never be taken for a refusal. */
export function readInput<Schema extends z.ZodType>(
  schema: Schema,
  raw: unknown,
  { echo = false }: Options = {},
): Readonly<{ value: z.output<Schema> }> | Refusal {
  const read = schema.safeParse(raw, { error: plainIssue });
  if (read.success) return { value: read.data };
  const { issues } = read.error;
  // A field that is not known is most often a misspelt one, which then is missing besides.
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  if (issue === undefined) return refuse('invalid', 'the request is malformed');
  const refusal = refusalOf(issue, wrong(issue, raw, echo));
  return isParameter(issue) && echo
    ? { ...refusal, message: refusal.message + knownIn(schema) }
    : refusal;
}

/** An unknown name that is not inside of another value. */
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

/** What is never shown, and never repeated in a refusal. */
export const secretFields: ReadonlySet<string> = new Set(['password', 'upstream_api_key']);

function wrong(issue: z.core.$ZodIssue, raw: unknown, echo: boolean): string {
  const value = issue.path.reduce(memberOf, raw);
  const needsValue = ['invalid_type', 'invalid_value', 'invalid_union'].includes(issue.code);
  if (value === undefined && needsValue) return 'is required';
  if (value === '' && issue.code === 'too_small') return 'must not be empty';
  return issue.message + wasValue(issue, value, echo);
}

/** The wrong value, where it cannot be a secret: a number, one of a closed list, a time; in a query any text. */
function wasValue(issue: z.core.$ZodIssue, value: unknown, echo: boolean): string {
  if (issue.path.some((name) => secretFields.has(String(name)))) return '';
  const isShown =
    typeof value === 'string'
      ? echo ||
        issue.code === 'invalid_value' ||
        (issue.code === 'invalid_format' && issue.format === 'datetime')
      : typeof value === 'number' ||
        typeof value === 'boolean' ||
        (value === null && issue.code === 'invalid_value');
  if (!isShown) return '';
  // JSON has no word for a number that is too large for any.
  const text = typeof value === 'number' ? String(value) : JSON.stringify(value);
  return `, was ${shortened(text)}`;
}

const memberOf = (value: unknown, name: PropertyKey): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

/** What people and their programs send is refused whole for one text that cannot be stored; null when all of it can. */
export const refuseUnfitText = ({ params, query, body }: RawInput): Refusal | null =>
  unfitText(params, []) ?? unfitText(query, []) ?? unfitText(body, []);

/** Text that the database would refuse, or change. */
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
