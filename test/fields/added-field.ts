// Checks that a field named only in the table of models works in every part of the program.
// test/tidy/fields.test.ts runs it in a copy of the program whose table has the field `cat_count`.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { catalogue } from '../../events/catalogue.ts';
import { snapshotConfig } from '../../projections/snapshot.ts';
import { models } from '../../projections/tables/models.ts';
import { openApi } from '../../src/admin/openapi/openapi.ts';
import { modelRowIn, toModelRecord } from '../../src/admin/providers/model-record.ts';
import { modelRoutes } from '../../src/admin/providers/models.ts';
import { exportState } from '../../src/control/files/export.ts';
import { decide } from '../../src/deciders/decide.ts';
import { models as restoring } from '../../src/deciders/restore/serving.ts';
import { modelId } from '../../src/lib/ids.ts';
import { isRefusal } from '../../src/lib/refusal.ts';
import { snapshotModel } from '../../src/snapshot/schema.ts';
import { modelForm } from '../../ui/lib/providers/model-draft.ts';
import { yamlOf } from '../../ui/lib/saves/copy-as.ts';
import { yamlOfRecord } from '../../ui/lib/saves/copy-record.ts';
import { fieldLabel } from '../../ui/lib/text/field-label.ts';
import { fileOfText } from '../harness/gateway/config-file.ts';
import { append, emptyLog } from '../harness/events/test-log.ts';
import type { TestLog } from '../harness/events/test-log.ts';

const id = modelId.parse(1);
const field = 'cat_count';

function ran(log: TestLog, command: Parameters<typeof decide>[1]): TestLog {
  const events = decide(log.state, command);
  assert.ok(!isRefusal(events));
  return append(log, events);
}

const bare = ran(emptyLog, { type: 'CreateModel', name: 'm', fields: {} });
const fields: object = { catCount: 3 };
const set = ran(bare, { type: 'UpdateModel', id, fields });
const { text } = exportState(set.state, new Map());

const modelIn = ({ state }: TestLog) => {
  const model = state.model.byId.get(1);
  assert.ok(model !== undefined);
  return model;
};
const valueIn = (holder: unknown): unknown =>
  holder instanceof Object ? Reflect.get(holder, field) : undefined;

it('requests and answers have it', () => {
  const described = JSON.stringify(openApi(modelRoutes));
  // Both request bodies, and the responses of list, get, create and update.
  assert.ok(described.split(`"${field}":`).length > 6);
  assert.equal(valueIn(toModelRecord(modelRowIn(set.state, 1))), 3);
  assert.equal(valueIn(toModelRecord(modelRowIn(bare.state, 1))), null);
});

it('an event sets it', () => {
  assert.ok(Object.hasOwn(catalogue, 'ModelCatCountSet'));
  assert.deepEqual(set.commands.at(-1)?.[0]?.data, { id: 1, [field]: 3 });
});

it('snapshots have it once it is set', () => {
  const member = snapshotConfig(set.state).models[0];
  assert.equal(valueIn(snapshotModel.parse(member)), 3);
  const [before] = snapshotConfig(bare.state).models;
  assert.ok(before !== undefined && !Object.hasOwn(before, field));
  snapshotModel.parse(before);
});

it('its table has a column', () => {
  assert.equal(valueIn(models.columns), 'bigint');
  assert.equal(valueIn(models.rows(set.state, 1)[0]), 3);
});

const setting = (value: number | null) => [
  { stream: 'model-1', type: 'ModelCatCountSet', data: { id: 1, [field]: value } },
];

it('a restore brings it back, and clears it', () => {
  assert.deepEqual(restoring.changed(modelIn(bare), modelIn(set)), setting(3));
  assert.deepEqual(restoring.changed(modelIn(set), modelIn(bare)), setting(null));
});

it('a configuration file has it, and is read again', () => {
  assert.match(text, /cat_count: 3/);
  assert.equal(valueIn(fileOfText(text).snapshot.config.models[0]), 3);
});

it('the UI names, reads, writes and copies it', () => {
  assert.equal(fieldLabel(field), 'Cats');
  assert.equal(valueIn(modelForm.blank), '');
  const typed: object = { name: 'm', [field]: '4' };
  const read = modelForm.read({ ...modelForm.blank, ...typed });
  assert.equal('body' in read ? valueIn(read.body) : null, 4);
  assert.match(yamlOfRecord('provider-models', { name: 'm', [field]: 3 }) ?? '', /cat_count: 3/);
  const made = { method: 'POST', path: '/admin/provider-models', body: { name: 'm', [field]: 3 } };
  assert.match(yamlOf(made) ?? '', /cat_count: 3/);
});
