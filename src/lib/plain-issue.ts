// What is wrong with a value, in plain words: what it must be. The library's own phrases never reach a client.

import type { z } from 'zod';

import { listed } from './text.ts';

type Issue = z.core.$ZodRawIssue;

/** For zod's `error` option. Where a schema has words of its own, zod takes those. */
export function plainIssue(issue: Issue): string {
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

const typeNames: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

const typeName = (expected: string): string => typeNames[expected] ?? expected;

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

function bound(issue: Issue, { limit, word, open }: Bound): string {
  const unit = unitOf('origin' in issue ? String(issue['origin']) : '');
  const isOpen = 'inclusive' in issue && issue['inclusive'] === false;
  const amount = `${isOpen ? open : word} ${limit}`;
  if (unit === null) return `be ${amount}`;
  return `have ${amount} ${limit === 1 ? unit : `${unit}s`}`;
}

/** What is counted; null where the value is a number itself. */
function unitOf(origin: string): string | null {
  if (origin === 'string') return 'character';
  if (origin === 'array' || origin === 'set') return 'item';
  return origin === 'object' || origin === 'map' ? 'field' : null;
}
