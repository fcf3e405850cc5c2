// Writes schema problems in plain words: "name: must be text, was 5". No phrase of zod reaches a
// user.

import type { z } from 'zod';

import { listed, shortened } from './text.ts';

type RawIssue = z.core.$ZodRawIssue;
type Issue = z.core.$ZodIssue;

/** `echo` repeats texts in the message. Use it only if the input contains no secret. */
type Options = Readonly<{ echo?: boolean }>;

/** The first problem of a value, with the path of the field. */
export function problemText({ issues: [issue] }: z.ZodError): string {
  if (issue === undefined) return 'is not valid';
  const place = issue.path.map(String).join('.');
  return `${place === '' ? '' : `${place}: `}${problemOf(issue)}`;
}

/** Omits the value and its path. */
export const ruleText = ({ issues: [issue] }: z.ZodError): string =>
  issue?.message ?? 'is not valid';

/** The error starts with `name`. */
export function parseNamed<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  name: string,
): z.output<Schema> {
  const read = schema.safeParse(value, plainly);
  if (read.success) return read.data;
  throw new Error(`${name}: ${problemText(read.error)}`);
}

/** Includes the value unless it may be secret. The issue must come from a parse with `plainly`. */
export function problemOf(issue: Issue, { echo = false }: Options = {}): string {
  const { input, code, message } = issue;
  const needsValue = ['invalid_type', 'invalid_value', 'invalid_union'].includes(code);
  if (input === undefined && needsValue) return 'is required';
  if (input === '' && code === 'too_small') return 'must not be empty';
  return isShown(issue, echo) && !message.includes(', was ')
    ? `${message}, was ${shortened(textOf(input))}`
    : message;
}

const secretName = /password|secret|credential|(?:^|_)key$|(?<!per_)token$/i;

function isShown(issue: Issue, echo: boolean): boolean {
  if (issue.path.some((name) => secretName.test(String(name)))) return false;
  const { input: value, code } = issue;
  if (typeof value !== 'string') {
    return (
      typeof value === 'number' ||
      typeof value === 'boolean' ||
      (value === null && code === 'invalid_value')
    );
  }
  const isTime = code === 'invalid_format' && issue.format === 'datetime';
  return echo || code === 'invalid_value' || isTime;
}

/** JSON has no infinity. */
const textOf = (value: unknown): string =>
  typeof value === 'number' ? String(value) : JSON.stringify(value);

/** For zod's `error` option. Messages of the schema itself have priority. */
function plainIssue(issue: RawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeName(issue.expected)}`;
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${choices(issue.values)}`
        : `must be one of ${choices(issue.values)}`;
    case 'too_small':
      return `must ${bound(issue, { limit: issue.minimum, word: 'at least', open: 'more than' })}`;
    case 'too_big':
      return `must ${bound(issue, { limit: issue.maximum, word: 'at most', open: 'less than' })}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_format':
      return formatNames[issue.format] ?? 'does not have the right format';
    case 'unrecognized_keys':
      return `has fields that are not known: ${listed(issue.keys)}`;
    case 'invalid_key':
      return 'has a key that is not allowed';
    case 'invalid_element':
      return 'has a member that is not allowed';
    case 'invalid_union':
      return 'has none of the forms that are allowed here';
    case 'custom':
      return 'is not allowed here';
    default:
      return 'is not valid';
  }
}

/** For every parse whose issues people may read. */
export const plainly = { error: plainIssue, reportInput: true } as const;

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
  date: 'a time',
  nan: 'NaN',
  bigint: 'a whole number',
  map: 'a map',
  set: 'a set',
};

const typeName = (expected: string): string => typeNames[expected] ?? 'of another type';

const formatNames: Readonly<Record<string, string>> = {
  datetime: 'must be an RFC 3339 time, such as 2026-11-21T09:30:00Z',
  uuid: 'must be a UUID',
  regex: 'does not have the right format',
};

const choices = (values: readonly unknown[]): string =>
  listed(
    values.map((value) => (typeof value === 'string' ? JSON.stringify(value) : String(value))),
  );

type Bound = Readonly<{ limit: number | bigint; word: string; open: string }>;

function bound(issue: RawIssue, { limit, word, open }: Bound): string {
  const unit = unitOf('origin' in issue ? String(issue['origin']) : '');
  const isOpen = 'inclusive' in issue && issue['inclusive'] === false;
  const amount = `${isOpen ? open : word} ${limit}`;
  if (unit === null) return `be ${amount}`;
  return `have ${amount} ${limit === 1 ? unit : `${unit}s`}`;
}

/** Null for a number. */
function unitOf(origin: string): string | null {
  if (origin === 'string') return 'character';
  if (origin === 'array' || origin === 'set') return 'item';
  return origin === 'object' || origin === 'map' ? 'field' : null;
}
