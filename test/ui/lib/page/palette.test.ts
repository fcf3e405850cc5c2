// Tests the entries of the palette in addition to screens and records.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { actionsFor, pageCommandsFor, groupsOf } from '../../../../ui/lib/page/palette.ts';

const everything = { may: () => true, has: () => true };
const names = (actions: readonly Readonly<{ name: string }>[]): readonly string[] =>
  actions.map(({ name }) => name);

it('a number matches a version, a restore and an event, in any notation', () => {
  const wanted = ['Go to version 1482', 'Restore version 1482', 'View event 1482'];
  for (const typed of ['1482', 'v1482', ' version 1482 ', 'restore v1482', 'go to version 1482']) {
    assert.deepEqual(names(actionsFor(typed, everything).numbered), wanted, typed);
  }
  for (const typed of ['', 'gpt-4', 'version', '1482 x']) {
    assert.deepEqual(actionsFor(typed, everything).numbered, [], typed);
  }
});

it('omits actions without permission or without a screen', () => {
  const reader = { may: (permission: string) => permission === 'key:create', has: () => true };
  assert.deepEqual(names(actionsFor('7', reader).numbered), ['Go to version 7', 'View event 7']);
  assert.ok(names(actionsFor('', reader).standing).includes('Create API key'));
  assert.ok(!names(actionsFor('', reader).standing).includes('Create provider'));
  assert.ok(!names(actionsFor('', reader).standing).includes('Send a request'));
  const bare = { may: () => true, has: (screen: string) => screen === 'roles' };
  assert.deepEqual(names(actionsFor('', bare).standing), ['Create role']);
});

it('omits current preferences, and offers the way back only in a past version', () => {
  const here = names(pageCommandsFor({ theme: 'dark', zone: 'utc', isPast: false }));
  for (const name of ['Theme: dark', 'Show times in UTC', 'Back to current'])
    assert.ok(!here.includes(name));
  for (const name of ['Theme: light', 'Show times in local time', 'Copy link to this page']) {
    assert.ok(here.includes(name), name);
  }
  const past = names(pageCommandsFor({ theme: 'light', zone: 'local', isPast: true }));
  for (const name of ['Theme: dark', 'Show times in UTC', 'Back to current']) {
    assert.ok(past.includes(name), name);
  }
});

it('lists the screen and the action of a name before the entities that begin with it', () => {
  const keys = Array.from({ length: 12 }, (_, at) => ({ kind: 'API key', text: `key-${at + 1}` }));
  const screen = { kind: 'Screen', text: 'API keys' };
  const action = { kind: 'Action', text: 'Create API key' };
  const other = { kind: 'Screen', text: 'Overview' };
  const groups = groupsOf([...keys, other, action, screen], 'key');
  assert.deepEqual(
    groups.map(({ heading, entries, more }) => [heading, entries.length, more]),
    [
      ['Screens', 1, 0],
      ['Actions', 1, 0],
      ['API keys', 3, 9],
    ],
  );
  assert.deepEqual(groups[0]?.entries, [screen]);
  assert.deepEqual(
    groupsOf([...keys, other, action], '').map(({ heading }) => heading),
    ['Screens', 'Actions'],
  );
});
