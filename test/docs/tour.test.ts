// The tour of the management UI shows every screen, in both themes, and its pictures weigh little.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';

import { screenNames } from '../ui/harness/screen-names.ts';
import { stops } from '../ui/tour/stops.ts';

const docs = path.join(import.meta.dirname, '../../docs');
const pictures = readdirSync(path.join(docs, 'tour'));

it('the tour stops at every screen', () => {
  const shown = new Set(stops.map((stop) => stop.path.split(/[/?]/)[0] || 'overview'));
  assert.deepEqual(
    screenNames().filter((name) => !shown.has(name)),
    [],
  );
});

it('the page shows the pictures that are there, and no others are', () => {
  const page = readFileSync(path.join(docs, 'tour.md'), 'utf8');
  const named = [...page.matchAll(/tour\/([\w-]+\.webp)/g)].map(([, name]) => name);
  assert.deepEqual(new Set(named), new Set(pictures));
  const wanted = stops.flatMap(({ name }) => [`${name}-dark.webp`, `${name}-light.webp`]);
  assert.deepEqual(pictures.toSorted(), wanted.toSorted());
});

it('the pictures are less than 6 MB', () => {
  const bytes = pictures.map((name) => statSync(path.join(docs, 'tour', name)).size);
  const sum = bytes.reduce((total, size) => total + size, 0);
  assert.ok(sum < 6 * 1024 * 1024, `${sum} bytes`);
});
