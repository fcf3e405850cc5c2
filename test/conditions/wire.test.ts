// Compares the fields of conditions in events, snapshots, requests, responses and files with their
// stored JSON Schema. A difference means that stored data, older proxies, clients or files are read
// differently. Write a deliberate change with `npm run test:file -- --test-update-snapshots
// test/conditions/wire.test.ts`.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';

import { z } from 'zod';

import {
  fileShape,
  inputShape,
  recordShape,
  snapshotConditions,
  storedConditions,
  storedShape,
} from '../../src/conditions/schemas.ts';
import { noConditions, storedValues, toRecord, withGiven } from '../../src/conditions/values.ts';

const fixture = join(import.meta.dirname, '../fixtures/conditions.txt');

it('the fields and their order are those of the wire', (test) => {
  const schemas = {
    stored: storedConditions,
    snapshot: snapshotConditions,
    input: z.object(inputShape),
    file: z.object(fileShape),
    record: z.object(recordShape),
  };
  const lines = Object.entries(schemas).flatMap(([name, schema]) =>
    Object.entries(z.toJSONSchema(schema, { io: 'input' }).properties ?? {}).map(
      ([field, type]) => `${name} ${field} ${JSON.stringify(type)}\n`,
    ),
  );
  test.assert.fileSnapshot(lines.join(''), fixture, { serializers: [String] });
});

it('a file in which no field is given asks for nothing', () => {
  const { principals: _ids, roles: _roles, class: _class, ...plain } = fileShape;
  const given = z.object(plain).parse({});
  assert.deepEqual(withGiven(noConditions, given), noConditions);
});

it('a field of a later release is absent where a rule does not ask, and read where it is absent', () => {
  const fields = { max_cats: { type: 'requests', label: 'Cats', added: true } } as const;
  const stored = z.object(storedShape(fields, 'stored'));
  assert.deepEqual(storedValues(fields, {}, {}), {});
  assert.deepEqual(stored.parse({}), {});
  const held = storedValues(fields, {}, { max_cats: 3 });
  assert.deepEqual(stored.parse(held), { max_cats: 3 });
  assert.deepEqual(storedValues(fields, held, {}), held);
  assert.deepEqual(storedValues(fields, held, { max_cats: null }), {});
});

const input = z.object(inputShape);

it('days are kept once and in order', () => {
  assert.deepEqual(input.parse({ days: [7, 1, 7] }), { days: [1, 7] });
});

it('a time is stored as minutes and answered as it was given', () => {
  const stored = withGiven(noConditions, input.parse({ after: '08:05', before: '23:59' }));
  assert.deepEqual([stored.after_minute, stored.before_minute], [485, 1_439]);
  const { after, before } = toRecord(stored, { role: String, promptClass: String });
  assert.deepEqual([after, before], ['08:05', '23:59']);
});

it('what is not given is held, and null clears', () => {
  const held = { ...noConditions, stream: true, min_prompt_tokens: 5, days: [1] };
  assert.deepEqual(withGiven(held, { stream: null }), { ...held, stream: null });
  assert.deepEqual(withGiven(held, { min_prompt_tokens: 6, days: null }), {
    ...held,
    min_prompt_tokens: 6,
    days: [],
  });
});
