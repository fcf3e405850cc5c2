// Generates the list of decisions from the titles of their records.

import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { generated, page } from './markdown.ts';

const folder = path.join(import.meta.dirname, '../../docs/adr');

function line(name: string): string {
  const [, number = '', title = ''] =
    /^# (\d+)\. (.+)$/m.exec(readFileSync(path.join(folder, name), 'utf8')) ?? [];
  return `${number}. [${title}](${name})`;
}

export const decisionsPage = (): string =>
  page([
    '# Decisions',
    generated,
    'Each record states a context, the decision, its consequences, and the rejected alternatives.',
    globSync('[0-9]*.md', { cwd: folder }).toSorted().map(line).join('\n'),
  ]);
