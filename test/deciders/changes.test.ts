// Tests several commands as one: each is decided on the state after the previous ones, all or none
// take effect, and only as prepared.

import { it } from 'node:test';

import { modelId } from '../../src/lib/ids.ts';
import { modelCreated } from '../harness/events/examples.ts';
import { given } from '../harness/events/test-log.ts';

const created = { type: 'CreateModel', name: 'a', fields: {} } as const;
const renamed = { type: 'UpdateModel', id: modelId.parse(1), fields: { name: 'b' } } as const;
const toB = {
  stream: 'model-1',
  type: 'ModelRenamed',
  data: { id: modelId.parse(1), name: 'b' },
} as const;

it('each is decided on the state that those before it lead to', () => {
  const events = [modelCreated(1, 'a'), toB];
  given([])
    .when({ type: 'ApplyChanges', commands: [created, renamed], events })
    .yields(events);
});

it('one that is refused refuses all of them, by its place', () => {
  given([])
    .when({ type: 'ApplyChanges', commands: [created, created], events: [] })
    .refuses('conflict', /^calls\.1: model a exists$/, 'calls.1');
});

it('rejects commands whose events differ from those when they were prepared', () => {
  const events = [modelCreated(1, 'a'), toB];
  given([modelCreated(1, 'x')])
    .when({ type: 'ApplyChanges', commands: [created, renamed], events })
    .refuses('conflict', /has changed since/);
});
