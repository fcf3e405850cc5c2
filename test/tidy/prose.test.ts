// Tests that text for people is plain English (docs/STYLE.md).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { bans, hardToRead } from './prose.ts';
import { filesOfTree } from './tree.ts';

/** Folders and files that already follow the rules, one per line. */
const held: readonly string[] = [
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'README.md',
  'bench',
  'docs/ARCHITECTURE.md',
  'docs/README.md',
  'docs/STYLE.md',
  'docs/adr',
  'docs/clients.md',
  'docs/comparison.md',
  'docs/concepts.md',
  'docs/getting-started.md',
  'docs/guides',
  'docs/reference/admin-api.md',
  'docs/reference/protocols.md',
  'docs/reference/upstream-faults.md',
  'docs/tour.md',
  'docs/ui.md',
  'events',
  'extensions',
  'projections',
  'scripts',
  'src/admin',
  'src/agent',
  'src/classifier',
  'src/cli',
  'src/conditions',
  'src/control/access',
  'src/control/coalesce.ts',
  'src/control/commands',
  'src/control/configuration',
  'src/control/deployment.ts',
  'src/control/files',
  'src/control/fleet',
  'src/control/history',
  'src/control/log',
  'src/control/notify-rebuild.ts',
  'src/control/pause.ts',
  'src/control/plane.ts',
  'src/control/prices',
  'src/control/prompt-classes',
  'src/control/providers',
  'src/control/publishing',
  'src/control/readiness.ts',
  'src/control/repeat.ts',
  'src/control/slices.ts',
  'src/control/slots.ts',
  'src/control/usage',
  'src/control/vault',
  'src/db',
  'src/deciders',
  'src/egress',
  'src/fields',
  'src/gateway',
  'src/ingress',
  'src/kubernetes',
  'src/lib',
  'src/limits',
  'src/main.ts',
  'src/operator',
  'src/protocols',
  'src/routing',
  'src/snapshot',
  'src/telemetry',
  'src/usage',
  'test/admin',
  'test/agent',
  'test/bench',
  'test/classifier',
  'test/cli',
  'test/conditions',
  'test/control',
  'test/db',
  'test/deciders',
  'test/deploy',
  'test/docs',
  'test/e2e',
  'test/events',
  'test/faults',
  'test/fields',
  'test/gateway',
  'test/harness',
  'test/lib',
  'test/limits',
  'test/long',
  'test/operator',
  'test/projections',
  'test/protocols',
  'test/recorded',
  'test/routing',
  'test/snapshot',
  'test/ui',
  'test/telemetry',
  'test/tidy',
  'test/usage',
  'ui',
];

const isHeld = (file: string): boolean =>
  /\.(ts|mjs|md)$/.test(file) &&
  !file.startsWith('test/tidy/prose.') &&
  held.some((place) => file === place || file.startsWith(`${place}/`));

test('comments, messages and pages are plain English', () => {
  const found = filesOfTree()
    .filter(({ path }) => isHeld(path))
    .flatMap(hardToRead);
  assert.deepEqual(found, []);
});

const broken = [
  '// built anew for whoever asks',
  '// kept beside the log',
  '// what lies behind it',
  '// it is no rule',
  '// so many at once',
  '// it stands for the end',
  '// the log is had',
  '// changed meanwhile by nobody',
  '// Of a header: nothing ends it',
  '// What clients call with',
] as const;

for (const text of broken) {
  test(`finds what is hard to read in ${JSON.stringify(text)}`, () => {
    assert.notDeepEqual(hardToRead({ path: 'src/x.ts', text }), []);
  });
}

const fine = [
  '// The replica is two versions behind the log.',
  '// gw runs behind a proxy that ends TLS.',
  '// There is no such rule, and it is no longer read.',
  '// As soon as the lock is acquired, the writer starts.',
  'const name = `what ${name}`;',
] as const;

for (const text of fine) {
  test(`accepts plain English: ${JSON.stringify(text)}`, () => {
    assert.deepEqual(hardToRead({ path: 'src/x.ts', text }), []);
  });
}

test('finds a sentence of a page that is too long, and none in its code', () => {
  const long = 'word '.repeat(31);
  assert.equal(hardToRead({ path: 'docs/x.md', text: `${long}\n` }).length, 1);
  assert.deepEqual(hardToRead({ path: 'docs/x.md', text: `\`\`\`\n${long}\n\`\`\`\n` }), []);
});

test('names a plainer form for each phrase', () => {
  assert.deepEqual(
    bans.filter(({ instead }) => instead === ''),
    [],
  );
});
