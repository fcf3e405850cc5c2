// Tests the size of the UI build, and how it is served: from memory, below any path, with a strict
// content security policy.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { before, it } from 'node:test';
import { gzipSync } from 'node:zlib';

import { buildUi, isStale } from '../../scripts/build-ui.ts';
import { readUi } from '../../src/admin/ui.ts';
import { testAdmin } from '../harness/admin/admin.ts';
import { screenNames } from './harness/screen-names.ts';

const dist = path.join(import.meta.dirname, '../../ui/dist');
const kilobyte = 1_024;

before(async () => {
  if (isStale()) await buildUi();
});

const files = (): readonly string[] =>
  readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !name.endsWith('.br') && statSync(path.join(dist, name)).isFile(),
  );

const zipped = (names: readonly string[]): number =>
  names.reduce((sum, name) => sum + gzipSync(readFileSync(path.join(dist, name))).length, 0);

/** The files that a file imports before it runs. Files that it loads later are not included. */
function withImports(names: readonly string[]): ReadonlySet<string> {
  const all = new Set<string>();
  const add = (name: string): void => {
    if (all.has(name)) return;
    all.add(name);
    const text = readFileSync(path.join(dist, name), 'utf8');
    const found = text.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g);
    for (const [, imported = ''] of found) add(`assets/${imported}`);
  };
  names.forEach(add);
  return all;
}

const scripts = (): readonly string[] => files().filter((name) => name.endsWith('.js'));
const named = (start: string): readonly string[] =>
  scripts().filter((name) => name.startsWith(`assets/${start}-`));

const overview = (): ReadonlySet<string> =>
  withImports([...named('index'), ...named('app'), ...named('overview')]);

it('the frame and the overview load at most 100 KB of compressed script and 12 KB of styles', () => {
  assert.ok(zipped([...overview()]) <= 100 * kilobyte, `${zipped([...overview()])} bytes`);
  const styles = files().filter((name) => name.endsWith('.css'));
  assert.ok(zipped(styles) <= 12 * kilobyte, `${zipped(styles)} bytes`);
});

it('the overview loads neither tables nor saves, and its numbers do not wait for charts', () => {
  const text = [...overview()].map((name) => readFileSync(path.join(dist, name), 'utf8')).join('');
  assert.doesNotMatch(text, /customElements\.define\([`"']gw-(table|save|diff|form)[`"']/);
  assert.deepEqual(
    named('uPlot.esm').filter((name) => overview().has(name)),
    [],
  );
});

/**
 * The file that each screen is loaded from, with its imports and the files that it loads to draw.
 */
const screenScripts = (): readonly (readonly [string, ReadonlySet<string>])[] =>
  screenNames().flatMap((name) =>
    named(name).map((file) => [name, withImports([file, ...drawnLater(file)])] as const),
  );

/** uPlot is loaded with the first chart, so every screen with a chart has loaded it. */
function drawnLater(file: string): readonly string[] {
  const texts = [...withImports([file])].map((name) => readFileSync(path.join(dist, name), 'utf8'));
  return texts.some((text) => text.includes('uPlot.esm')) ? named('uPlot.esm') : [];
}

it('a screen loads at most 25 KB of its own (compressed), 55 KB of shared code, and 25 KB for charts', () => {
  const first = overview();
  const charts = new Set(named('uPlot.esm'));
  const shared = new Set(named('elements'));
  assert.ok(zipped([...charts]) <= 25 * kilobyte);
  assert.ok(zipped([...shared]) <= 55 * kilobyte, `${zipped([...shared])} bytes`);
  const weights = screenScripts().map(([name, all]) => {
    const own = [...all].filter((file) => ![first, charts, shared].some((set) => set.has(file)));
    return [name, zipped(own)] as const;
  });
  assert.ok(weights.length >= screenNames().length);
  assert.deepEqual(
    weights.filter(([, bytes]) => bytes > 25 * kilobyte),
    [],
  );
});

it('the overview with its charts loads at most 125 KB of compressed script', () => {
  const drawn = new Set([...overview(), ...named('uPlot.esm')]);
  assert.ok(zipped([...drawn]) <= 125 * kilobyte, `${zipped([...drawn])} bytes`);
});

it('the whole build has at most 3 MB', () => {
  const bytes = files().reduce((sum, name) => sum + statSync(path.join(dist, name)).size, 0);
  assert.ok(bytes <= 3 * 1024 * kilobyte, `${bytes} bytes`);
});

it('the page refers to its files by relative addresses below any path', async (t) => {
  const { url } = await testAdmin(t, { ui: readUi() });
  for (const place of ['/', '/ui', '/ui/', '/ui/providers', '/ui/providers/7/edit']) {
    const answer = await fetch(url + place);
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('content-type') ?? '', /^text\/html; charset=utf-8$/);
    const [, script = ''] = /src="([^"]+\.js)"/.exec(await answer.text()) ?? [];
    const found = new URL(script, url + place);
    assert.match(found.pathname, /^\/ui\/assets\/index-[\w-]+\.js$/);
    assert.equal((await fetch(found)).status, 200);
  }
});

it('the content security policy allows only files of the page itself', async (t) => {
  const { url } = await testAdmin(t, { ui: readUi() });
  const policy = (await fetch(`${url}/ui/`)).headers.get('content-security-policy') ?? '';
  assert.match(policy, /^default-src 'self';/);
  assert.match(policy, /require-trusted-types-for 'script'; trusted-types lit-html$/);
  assert.doesNotMatch(policy, /unsafe|https?:|\*/);
});

it('a file is compressed, immutable under its name, and cached', async (t) => {
  const { url } = await testAdmin(t, { ui: readUi() });
  const [name = ''] = named('app');
  const file = `${url}/ui/${name}`;
  const answer = await fetch(file, { headers: { 'accept-encoding': 'br' } });
  assert.equal(answer.headers.get('content-encoding'), 'br');
  assert.match(answer.headers.get('cache-control') ?? '', /immutable/);
  assert.equal(await answer.text(), readFileSync(path.join(dist, name), 'utf8'));
  const etag = answer.headers.get('etag') ?? '';
  const again = await fetch(file, { headers: { 'if-none-match': etag } });
  assert.equal(again.status, 304);
});

it('a missing file is not answered with the page', async (t) => {
  const { url } = await testAdmin(t, { ui: readUi() });
  assert.equal((await fetch(`${url}/ui/assets/old-build.js`)).status, 404);
  assert.equal((await fetch(`${url}/ui/nosuch.js`)).status, 404);
  // A browser that navigates to a record with this name gets the page.
  const navigation = await fetch(`${url}/ui/models/v1.js`, { headers: { accept: 'text/html' } });
  assert.equal(navigation.status, 200);
});
