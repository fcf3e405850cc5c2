// Checks that the tour shows every screen of the management UI in both themes, with small pictures.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';

import { screenNames } from '../ui/harness/screen-names.ts';
import { stops } from '../ui/tour/stops.ts';

const docs = path.join(import.meta.dirname, '../../docs');
const pictures = readdirSync(path.join(docs, 'tour'));

it('the tour shows every screen', () => {
  const shown = new Set(stops.map((stop) => stop.path.split(/[/?]/)[0] || 'overview'));
  assert.deepEqual(
    screenNames().filter((name) => !shown.has(name)),
    [],
  );
});

it('the page uses every picture, and no others exist', () => {
  const page = readFileSync(path.join(docs, 'tour.md'), 'utf8');
  const named = [...page.matchAll(/tour\/([\w-]+\.webp)/g)].map(([, name]) => name);
  assert.deepEqual(new Set(named), new Set(pictures));
  const wanted = stops.flatMap(({ name }) => [`${name}-dark.webp`, `${name}-light.webp`]);
  assert.deepEqual(pictures.toSorted(), wanted.toSorted());
});

it('the pictures are smaller than 6 MB together', () => {
  const bytes = pictures.map((name) => statSync(path.join(docs, 'tour', name)).size);
  const sum = bytes.reduce((total, size) => total + size, 0);
  assert.ok(sum < 6 * 1024 * 1024, `${sum} bytes`);
});
