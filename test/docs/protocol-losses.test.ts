// Checks that the reference of translations names every request field that the code leaves out, and no other.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';

import { droppedMembers as droppedOfMessages } from '../../src/protocols/messages/read-request.ts';
import { droppedMembers as droppedOfResponses } from '../../src/protocols/responses/read-request.ts';
import { droppedMembers as droppedOfChat } from '../../src/protocols/untranslatable.ts';

const file = path.join(import.meta.dirname, '../../docs/reference/protocol-losses.md');
const sections = readFileSync(file, 'utf8').split(/^## /m);

/** The rows about one field of the request itself. */
function membersIn(title: string): readonly string[] {
  const section = sections.find((one) => one.startsWith(title)) ?? '';
  return [...section.matchAll(/^\| `(\w+)` +\|/gm)].flatMap(([, name]) => name ?? []);
}

const cases: readonly (readonly [string, readonly string[]])[] = [
  ['Requests of chat completions', droppedOfChat],
  ['Requests of the Messages API', droppedOfMessages],
  ['Requests of the Responses API', droppedOfResponses],
];
for (const [title, dropped] of cases) {
  it(`docs/reference/protocol-losses.md: ${title}`, () =>
    assert.deepEqual(membersIn(title), dropped));
}
