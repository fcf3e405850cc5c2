// Tests the saved views of requests.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { readViews, viewOf, viewsMax, withoutView, withView } from '../../views.ts';

const view = (name: string) => ({ name, query: `model=${name}` });

it('keeps filters, range, comparison and columns, but not a pause', () => {
  const query = { vs: 'shift=day', range: '7d', paused: '1', as_of: '12', model: 'a b' };
  assert.equal(viewOf(query), 'model=a+b&range=7d&vs=shift%3Dday');
});

it('replaces a view of the same name, and removes the oldest beyond the limit', () => {
  const all = Array.from({ length: viewsMax }, (_, number) => view(`v${number}`));
  const more = withView(all, view('new'));
  assert.deepEqual([more.length, more[0]?.name, more.at(-1)?.name], [viewsMax, 'new', 'v48']);
  const again = withView(more, { name: 'v3', query: 'tag=x' });
  assert.deepEqual([again.length, again[0]], [viewsMax, { name: 'v3', query: 'tag=x' }]);
  assert.equal(withoutView(again, 'v3').length, viewsMax - 1);
});

it('reads what it stored, and nothing else', () => {
  assert.deepEqual(readViews(JSON.stringify([view('a')])), [view('a')]);
  for (const text of ['', 'no JSON', '{}', '[1,null,{"name":1}]']) {
    assert.deepEqual(readViews(text), []);
  }
});
