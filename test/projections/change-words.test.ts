// Tests the descriptions of changes in lists.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { catalogue } from '../../events/catalogue.ts';
import { nameIn, namingEvents, recordWords, sentenceOf } from '../../projections/change-words.ts';
import { commandTypes } from '../../src/deciders/decide.ts';

const change = (command: string, stream: string, name: string | null, eventCount = 1): string =>
  sentenceOf({ command, subject: { stream, name }, eventCount });

it('every command has a sentence', () => {
  const unknown = change('PaintModel', 'model-1', 'a').split(' ')[0];
  assert.equal(unknown, 'Paint');
  for (const command of commandTypes) {
    assert.match(change(command, 'model-1', 'a'), /^[A-Z][^.:{]+$/);
  }
});

it('names the record by what it is called, and by its id where it has no name', () => {
  assert.equal(
    change('SetBudget', 'principal-20', 'search-service-18'),
    'Set budget of search-service-18',
  );
  assert.equal(change('SetBudget', 'principal-20', null), 'Set budget of principal 20');
  assert.equal(change('UpdateModel', 'model-7', 'demo'), 'Updated model demo');
  assert.equal(
    change('DeleteFrontendModel', 'frontend_model-2', 'chat'),
    'Deleted frontend model chat',
  );
  assert.equal(
    change('ApproveChangeRequest', 'change_request-3', null),
    'Approved change request 3',
  );
  assert.equal(change('SetFallbackModel', 'settings-1', null), 'Set the global fallback model');
});

it('says how many events a change of many records made', () => {
  assert.equal(change('ImportConfig', 'model-1', 'a', 40), 'Imported a configuration (40 events)');
  assert.equal(change('RestoreSnapshot', 'model-1', 'a'), 'Restored model a (1 event)');
});

it('takes a name for what it is, whatever it holds', () =>
  assert.equal(change('CreateModel', 'model-1', '$& {events}'), 'Created model $& {events}'));

it('calls a command that this release does not know by its words', () =>
  assert.equal(change('PaintModel', 'model-1', 'a'), 'Paint model: model a'));

it('finds a name in every event that says one', () => {
  const known = Object.keys(catalogue);
  assert.deepEqual(
    namingEvents.filter((type) => !known.includes(type)),
    [],
  );
  assert.deepEqual(nameIn({ id: 1, name: 'a' }), { text: 'a', ref: null });
  assert.deepEqual(nameIn({ details: { name: 'b' } }), { text: 'b', ref: null });
  assert.deepEqual(nameIn({ name: { text: null, ref: 'r' } }), { text: null, ref: 'r' });
  assert.equal(nameIn({ id: 1 }), null);
});

it('says that a command changed nothing where no record was written', () => {
  assert.equal(change('GrantRole', 'settings-1', null), 'Grant role: nothing changed');
  assert.equal(change('UpdateModel', 'settings-1', null), 'Update model: nothing changed');
  assert.equal(change('SetChangePolicy', 'settings-1', null), 'Set the approval policy');
  const restored = change('RestoreSnapshot', 'settings-1', null);
  assert.equal(restored, 'Restored settings (1 event)');
});

it('calls the settings by no number', () =>
  assert.equal(recordWords({ stream: 'settings-1', name: null }), 'settings'));
