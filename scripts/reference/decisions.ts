// Generates the list of decisions by topic from the titles of their records.

import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { generated, page } from './markdown.ts';

const folder = path.join(import.meta.dirname, '../../docs/adr');

/** The records of each topic. */
const topics: Readonly<Record<string, readonly number[]>> = {
  'Log and state': [1, 2, 3, 9, 11, 18, 54, 55, 27, 36, 45],
  'Gateway and transport': [8, 14, 17, 22, 35],
  'Routing and health': [12, 16, 24, 31, 44, 49],
  'Protocols of clients and vendors': [13, 46],
  'Usage and budgets': [10, 15, 42, 52, 53, 56, 58],
  'Model servers and deployment': [26, 28, 40],
  'Access and approval': [5, 32, 39, 41],
  'History and evidence': [30, 34, 37, 43],
  'User interface and documentation': [29, 33, 48],
  'Project and tests': [4, 6, 38, 47],
};

/** Links the record of a number. Fails unless every record has exactly one topic. */
function links(): (number: number) => string {
  const names = globSync('[0-9]*.md', { cwd: folder }).toSorted();
  const numbers = names.map((name) => Number.parseInt(name, 10));
  const listed = Object.values(topics)
    .flat()
    .toSorted((one, other) => one - other);
  if (listed.join(' ') !== numbers.join(' '))
    throw new Error(`topics: the list has ${listed.join(' ')}, docs/adr has ${numbers.join(' ')}`);
  return (number) => {
    const name = names[numbers.indexOf(number)] ?? '';
    const text = readFileSync(path.join(folder, name), 'utf8');
    const title = /^# \d+\. (.+)$/m.exec(text)?.[1] ?? '';
    return `- [ADR ${number}: ${title}](${name})`;
  };
}

export function decisionsPage(): string {
  const link = links();
  return page([
    '# Decisions',
    generated,
    'Each record states a context, the decision, its consequences and the rejected alternatives.\n' +
      'Missing numbers are of records that were merged or deleted.',
    ...Object.entries(topics).flatMap(([topic, numbers]) => [
      `## ${topic}`,
      numbers.map(link).join('\n'),
    ]),
  ]);
}
