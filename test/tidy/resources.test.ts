// Tests that a resource with a screen is registered in few files (CONTRIBUTING.md, "Add a resource
// with a screen").

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { remoteName } from '../../events/catalogue.ts';
import { nouns, rankedNouns, remoteNouns } from '../../events/nouns.ts';
import type { RemoteNoun } from '../../events/nouns.ts';
import { camelCase } from '../../src/lib/case.ts';
import { sourcesOfTree } from './tree.ts';

const program = /^(events|projections|src|ui)\//;
const ownMax = 9;
const registrations = [
  'events/catalogue.ts',
  'events/nouns.ts',
  'projections/tables/all.ts',
  'src/admin/routes.ts',
];

/** Requests and files of other programs use these names too. */
const foreign: ReadonlySet<string> = new Set([
  'src/protocols/messages/read-request.ts',
  'src/snapshot/file/remedies.ts',
]);

/** Files derived from the table of nouns. */
const derived = ['ui/screens.ts', 'ui/state/found.ts', 'ui/screens/roles/grant.ts'];

const files = sourcesOfTree().filter(({ path }) => program.test(path) && !foreign.has(path));

const filesNaming = (named: RegExp): readonly string[] =>
  files.filter(({ text }) => named.test(text)).map(({ path }) => path);

/** "agent" alone has other meanings. */
function namesOf(noun: RemoteNoun): RegExp {
  const { paths, remote } = nouns[noun];
  const [name, camel] = [remoteName(noun), camelCase(noun)];
  const unmistakable = noun.includes('_') ? [noun, name, camel] : [];
  const events = `${name}(Created|Changed|Credential|Deleted)`;
  const commands = `(Create|Update|Delete)${name}`;
  const values = `${camel}(Id|Details|Events|Routes)`;
  const all = [...unmistakable, paths[0], remote.list, events, commands, values];
  return new RegExp(all.map((one) => `\\b${one}`).join('|'));
}

for (const noun of remoteNouns) {
  test(`${nouns[noun].words} is named only in its own files and in four registrations`, () => {
    const { paths, screen } = nouns[noun];
    const own = new RegExp(`/(${paths[0].slice(0, -1)}s?|${screen.name})\\.ts$`);
    const found = filesNaming(namesOf(noun));
    assert.deepEqual(
      found.filter((file) => !own.test(file)),
      registrations,
    );
    assert.ok(found.length <= ownMax + registrations.length);
  });
}

test('files derived from the table of nouns name no resource', () => {
  const names = rankedNouns.flatMap((noun) => [[noun], nouns[noun].paths].flat());
  const named = new RegExp(names.map((name) => `['"/]${name}['".]`).join('|'));
  assert.deepEqual(
    filesNaming(named).filter((file) => derived.includes(file)),
    [],
  );
  assert.ok(derived.every((file) => files.some(({ path }) => path === file)));
});
