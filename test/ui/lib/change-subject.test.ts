// Holds what a change is said to be about: a name where its events say one, and never another change's.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { subjectOf } from '../../../ui/lib/change-subject.ts';

const events = [
  { position: 9, stream: 'api_key-4', data: { id: 4, name: 'batch' } },
  { position: 8, stream: 'model-7', data: { id: 7, input_price_per_mtok: 5 } },
  { position: 7, stream: 'principal-3', data: { id: 3, name: { text: 'search', ref: null } } },
  { position: 6, stream: 'settings-1', data: {} },
  { position: 10, stream: 'agent-1', data: { id: 1, details: { name: 'desk' } } },
  { position: 5, stream: 'provider-2', data: { id: 2, name: 'Mistral' } },
];

const cases = [
  { title: 'a creation names it', ids: [9, 9], words: 'batch', place: 'keys/4' },
  { title: 'so it does in details', ids: [10, 10], words: 'desk', place: 'agents/1' },
  { title: 'a change tells kind and number', ids: [8, 8], words: 'model 7', place: 'models/7' },
  { title: 'a name of a person', ids: [7, 7], words: 'search', place: 'principals/3' },
  { title: 'the first record of several', ids: [5, 9], words: 'Mistral', place: 'providers/2' },
  { title: 'what is no record is passed by', ids: [6, 7], words: 'search', place: 'principals/3' },
] as const;

for (const { title, ids, words, place } of cases) {
  it(title, () => {
    const [first_position, id] = ids;
    const subject = subjectOf({ id, first_position }, events);
    assert.equal(subject?.words, words);
    assert.equal([subject.screen, ...subject.rest].join('/'), place);
  });
}

it('settings are on no screen, and events that were not read tell nothing', () => {
  assert.equal(subjectOf({ id: 6, first_position: 6 }, events), null);
  assert.equal(subjectOf({ id: 2, first_position: 1 }, events), null);
});
