// Holds that a place is its address: what is read from one writes the same.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import * as fc from 'fast-check';

import { readPlace, withQuery, writePlace } from '../../../../ui/lib/page/place.ts';

const at = (path: string, base = '/ui/') => readPlace(new URL(path, 'http://gw.example'), base);

it('the base, and what lies outside of it, is the overview', () => {
  const overview = { screen: 'overview', rest: [], query: {} };
  for (const path of ['/', '/ui', '/ui/', '/ui/overview']) assert.deepEqual(at(path), overview);
});

it('a place below another path is the same place', () => {
  const place = { screen: 'providers', rest: ['7', 'edit'], query: { q: 'a b' } };
  assert.deepEqual(at('/gw/ui/providers/7/edit?q=a+b', '/gw/ui/'), place);
  assert.equal(writePlace(place, '/gw/ui/'), '/gw/ui/providers/7/edit?q=a+b');
});

it('in a page of one file a place stands behind the hash', () => {
  const place = { screen: 'history', rest: ['events', '7'], query: { q: 'a b' } };
  const file = 'file:///exports/gw-viewer.html?file=log.ndjson';
  assert.deepEqual(at(`${file}#/history/events/7?q=a+b`, '#/'), place);
  assert.equal(writePlace(place, '#/'), '#/history/events/7?q=a+b');
  for (const one of [file, `${file}#`, `${file}#/`]) assert.equal(at(one, '#/').screen, 'overview');
});

it('every place is read back from its address', () => {
  const text = fc.string({ minLength: 1 }).filter((one) => one !== '.' && one !== '..');
  const place = fc.record(
    {
      screen: fc.constantFrom('providers', 'usage'),
      rest: fc.array(text, { maxLength: 3 }),
      query: fc.dictionary(fc.stringMatching(/^[a-z_]+$/), fc.string(), { noNullPrototype: true }),
    },
    { noNullPrototype: true },
  );
  fc.assert(fc.property(place, (given) => assert.deepEqual(at(writePlace(given, '/ui/')), given)));
});

it('a broken escape is taken as it stands', () => {
  assert.deepEqual(at('/ui/models/%zz').rest, ['%zz']);
});

it('a member of the query is set, and taken out by null or nothing', () => {
  const place = at('/ui/models?q=x&sort=name');
  assert.deepEqual(withQuery(place, { q: null, page: '2', cols: '' }).query, {
    sort: 'name',
    page: '2',
  });
});
