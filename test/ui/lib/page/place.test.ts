// Tests that a place and its address can be converted in both directions.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import * as fc from 'fast-check';

import { readPlace, withQuery, writePlace } from '../../../../ui/lib/page/place.ts';

const at = (path: string, base = '/ui/') => readPlace(new URL(path, 'http://gw.example'), base);

it('the base and addresses outside of it are the overview', () => {
  const overview = { screen: 'overview', rest: [], query: {} };
  for (const path of ['/', '/ui', '/ui/', '/ui/overview']) assert.deepEqual(at(path), overview);
});

it('a place below another path is the same place', () => {
  const place = { screen: 'providers', rest: ['7', 'edit'], query: { q: 'a b' } };
  assert.deepEqual(at('/gw/ui/providers/7/edit?q=a+b', '/gw/ui/'), place);
  assert.equal(writePlace(place, '/gw/ui/'), '/gw/ui/providers/7/edit?q=a+b');
});

it('in a single-file page the place follows the hash', () => {
  const place = { screen: 'history', rest: ['events', '7'], query: { q: 'a b' } };
  const file = 'file:///exports/gw-viewer.html?file=log.ndjson';
  assert.deepEqual(at(`${file}#/history/events/7?q=a+b`, '#/'), place);
  assert.equal(writePlace(place, '#/'), '#/history/events/7?q=a+b');
  for (const one of [file, `${file}#`, `${file}#/`]) assert.equal(at(one, '#/').screen, 'overview');
});

it('every place can be read from its address', () => {
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

it('an invalid escape is kept unchanged', () => {
  assert.deepEqual(at('/ui/models/%zz').rest, ['%zz']);
});

it('sets a query parameter; null or an empty value removes it', () => {
  const place = at('/ui/models?q=x&sort=name');
  assert.deepEqual(withQuery(place, { q: null, page: '2', cols: '' }).query, {
    sort: 'name',
    page: '2',
  });
});
