// Tests prompt classes and their examples over HTTP (specification, "Prompt class").

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { z } from 'zod';

import type { ControlPlane } from '../../../src/control/plane.ts';
import { errorOf, member, testAdministrator } from '../../harness/admin/admin.ts';
import { labelledPrompts } from '../../harness/classifier/labelled-prompts.ts';

const evaluation = z.object({
  classes: z.array(
    z.object({
      class: z.string(),
      tier: z.string(),
      refines: z.string().nullable(),
      examples: z.int(),
      precision: z.number().nullable(),
      recall: z.number(),
      mean_margin: z.number(),
      worst_margin: z.number(),
      nearest: z.array(z.tuple([z.string(), z.number()])),
      collides: z.boolean(),
      verdict: z.string(),
    }),
  ),
  confusions: z.array(
    z.object({
      actual: z.string(),
      predicted: z.string(),
      example_id: z.int(),
      label: z.string().nullable(),
    }),
  ),
  note: z.string().nullable(),
});

const classes = '/admin/prompt-classes';
const code = { name: 'code', examples: ['write a loop', 'mend this test', 'write a loop'] };

/** The centroids of the classes in the published snapshot. */
const centroidsIn = (plane: ControlPlane) =>
  plane.publisher.current()?.snapshot.classifier.fast?.classes.map(({ id }) => id) ?? [];

describe('a prompt class', () => {
  it('is created with defaults, each example once, and is routable', async (t) => {
    const { send, plane } = await testAdministrator(t);
    const made = await send('POST', classes, code);
    const record = {
      id: 1,
      name: 'code',
      description: null,
      tier: 'fast',
      min_margin: 0.1,
      refines: [],
      examples: 2,
      routable: true,
      version: 3,
    };
    assert.deepEqual(made.body, record);
    assert.deepEqual((await send('GET', `${classes}/1`)).body, record);
    const snapshot = plane.publisher.current()?.snapshot;
    assert.deepEqual(snapshot?.config.prompt_classes, [
      { id: 1, name: 'code', tier: 'fast', min_margin: 0.1, refines: [] },
    ]);
    assert.equal(made.headers.get('x-gw-snapshot-version'), String(snapshot?.version));
  });

  it('is listed by name, with the names of what it refines', async (t) => {
    const { send } = await testAdministrator(t);
    await send('POST', classes, code);
    await send('POST', classes, { name: 'chat' });
    await send('POST', classes, {
      name: 'sql',
      tier: 'refined',
      min_margin: 0.25,
      refines: ['code', 'chat'],
    });
    const listed = await send('GET', classes);
    assert.ok(Array.isArray(listed.body));
    assert.deepEqual(
      listed.body.map((one) => ['name', 'refines', 'examples'].map((name) => member(one, name))),
      [
        ['chat', [], 0],
        ['code', [], 2],
        ['sql', ['chat', 'code'], 0],
      ],
    );
    const { body: one } = await send('GET', `${classes}/3`);
    assert.ok(typeof one === 'object');
    assert.deepEqual({ ...one, version: 1 }, listed.body[2]);
    assert.equal(listed.headers.get('x-total-count'), '3');
  });

  it('changes only the given fields', async (t) => {
    const { send } = await testAdministrator(t);
    await send('POST', classes, code);
    const changed = await send('PATCH', `${classes}/1`, { name: 'programs', min_margin: 2 });
    assert.equal(member(changed.body, 'name'), 'programs');
    assert.equal(member(changed.body, 'min_margin'), 2);
    assert.equal(member(changed.body, 'examples'), 2);
    assert.equal((await send('PATCH', `${classes}/9`, {})).status, 404);
  });

  it('is deleted with its examples, and keeps classes that refined it', async (t) => {
    const { send, plane } = await testAdministrator(t);
    await send('POST', classes, code);
    await send('POST', classes, { name: 'sql', tier: 'refined', refines: ['code'] });
    assert.deepEqual((await send('DELETE', `${classes}/1`)).body, { id: 1 });
    assert.equal((await send('GET', `${classes}/1`)).status, 404);
    assert.equal((await send('GET', `${classes}/1/examples`)).status, 404);
    assert.equal((await send('DELETE', `${classes}/1`)).status, 404);
    assert.deepEqual(member((await send('GET', `${classes}/2`)).body, 'refines'), []);
    const rows: unknown[] = await plane.db.query(
      plane.db.sql`select 1 from prompt_examples union all select 1 from prompt_class_refines`,
    );
    assert.deepEqual(rows, []);
  });

  const refused: readonly (readonly [string, object, readonly unknown[]])[] = [
    ['no name', { tier: 'fast' }, [400, 'invalid', 'name']],
    ['another tier', { name: 'a', tier: 'slow' }, [400, 'invalid', 'tier']],
    ['a margin above 2', { name: 'a', min_margin: 2.1 }, [400, 'invalid', 'min_margin']],
    ['a margin below 0', { name: 'a', min_margin: -0.1 }, [400, 'invalid', 'min_margin']],
    ['a class that is not there', { name: 'a', refines: ['b'] }, [400, 'invalid', 'refines']],
    ['refined, and nothing to refine', { name: 'a', tier: 'refined' }, [400, 'invalid', 'refines']],
    ['a blank example', { name: 'a', examples: [' \n'] }, [400, 'invalid', 'examples.0']],
    [
      'a long example',
      { name: 'a', examples: ['x'.repeat(8_001)] },
      [400, 'invalid', 'examples.0'],
    ],
    [
      'many examples at once',
      { name: 'a', examples: Array.from({ length: 201 }, (_, at) => `prompt ${at}`) },
      [400, 'invalid', 'examples'],
    ],
    ['an unknown field', { name: 'a', centroid: [1] }, [400, 'invalid', 'centroid']],
    ['a name that is held', { name: 'code' }, [409, 'conflict', 'name']],
  ];
  it('is refused with the field that is wrong, and nothing is stored', async (t) => {
    const { send } = await testAdministrator(t);
    await send('POST', classes, code);
    for (const [what, body, error] of refused) {
      assert.deepEqual(errorOf(await send('POST', classes, body)), error, what);
    }
    assert.equal((await send('GET', classes)).headers.get('x-total-count'), '1');
  });
});

const labelsIn = ({ body }: Readonly<{ body: unknown }>): unknown[] => {
  assert.ok(Array.isArray(body));
  return body.map((one) => member(one, 'label'));
};

describe('an example', () => {
  it('is added, listed without its text, and removed', async (t) => {
    const { send } = await testAdministrator(t);
    await send('POST', classes, { name: 'code' });
    const path = `${classes}/1/examples`;
    const added = await send('POST', path, { prompt: 'write a loop' });
    assert.equal(member(added.body, 'id'), 1);
    await send('POST', path, { prompt: 'mend this test' });
    const again = await send('POST', path, { prompt: 'write a loop' });
    assert.deepEqual(again.body, added.body);
    const listed = await send('GET', `${path}?limit=1`);
    assert.deepEqual(listed.body, [added.body]);
    assert.equal(listed.headers.get('x-total-count'), '2');
    assert.deepEqual((await send('DELETE', `${path}/1`)).body, { id: 1 });
    assert.equal((await send('DELETE', `${path}/1`)).status, 404);
    assert.equal(member((await send('GET', `${classes}/1`)).body, 'examples'), 1);
    const next = await send('POST', path, { prompt: 'write a loop' });
    assert.equal(member(next.body, 'id'), 3);
  });

  it('shows the label that it was given, alone and when its class is created', async (t) => {
    const { send } = await testAdministrator(t);
    const examples = ['write a loop', { prompt: 'mend this test', label: 'broken test' }];
    await send('POST', classes, { name: 'code', examples });
    const path = `${classes}/1/examples`;
    const added = await send('POST', path, { prompt: 'loop for ever', label: 'endless loop' });
    assert.equal(member(added.body, 'label'), 'endless loop');
    const again = await send('POST', path, { prompt: 'loop for ever', label: 'another label' });
    assert.deepEqual(again.body, added.body);
    const labels = [null, 'broken test', 'endless loop'];
    assert.deepEqual(labelsIn(await send('GET', path)), labels);
    const version = added.headers.get('x-gw-snapshot-version');
    assert.deepEqual(labelsIn(await send('GET', `${path}?as_of=${version}`)), labels);
    assert.deepEqual(labelsIn(await send('GET', `${path}?label=broken+test`)), ['broken test']);
    assert.equal(member((await send('GET', `${path}/2`)).body, 'label'), 'broken test');
  });

  it('has no label that is too long or cannot be shown', async (t) => {
    const { send } = await testAdministrator(t);
    await send('POST', classes, { name: 'code' });
    for (const label of ['x'.repeat(101), '', ' padded ', 'two\nlines', 7]) {
      const added = await send('POST', `${classes}/1/examples`, { prompt: 'a', label });
      assert.deepEqual(errorOf(added), [400, 'invalid', 'label'], String(label));
    }
    const examples = [{ prompt: 'a', label: 'x'.repeat(101) }];
    const created = await send('POST', classes, { name: 'other', examples });
    assert.deepEqual(errorOf(created), [400, 'invalid', 'examples.0.label']);
  });

  it('gets its label back with a restore', async (t) => {
    const { send } = await testAdministrator(t);
    const examples = [{ prompt: 'write a loop', label: 'loop' }];
    const made = await send('POST', classes, { name: 'code', examples });
    await send('DELETE', `${classes}/1/examples/1`);
    const version = made.headers.get('x-gw-snapshot-version');
    const body = { dry_run: false, reason: 'removed by mistake' };
    assert.equal((await send('POST', `/admin/snapshots/${version}/restore`, body)).status, 200);
    assert.equal(member((await send('GET', `${classes}/1/examples/1`)).body, 'label'), 'loop');
  });

  it('needs a class and a text', async (t) => {
    const { send } = await testAdministrator(t);
    await send('POST', classes, { name: 'code' });
    const absent = await send('POST', `${classes}/9/examples`, { prompt: 'a' });
    assert.deepEqual(errorOf(absent), [404, 'absent', null]);
    for (const [body, param] of [
      [{}, 'prompt'],
      [{ prompt: '' }, 'prompt'],
      [{ prompt: 7 }, 'prompt'],
      [{ prompt: 'a', text: 'a' }, 'text'],
    ] as const) {
      const answer = await send('POST', `${classes}/1/examples`, body);
      assert.deepEqual(errorOf(answer), [400, 'invalid', param]);
    }
  });
});

describe('the centroids of prompt classes', () => {
  it('are published for classes with examples, follow the examples, and contain no text', async (t) => {
    const { send, plane } = await testAdministrator(t);
    await send('POST', classes, code);
    await send('POST', classes, { name: 'empty' });
    assert.deepEqual(centroidsIn(plane), [1]);
    const before = plane.publisher.current()?.snapshot;
    await send('POST', `${classes}/2/examples`, { prompt: 'bake a cake with Zebedee' });
    assert.deepEqual(centroidsIn(plane), [1, 2]);
    const { snapshot, etag } = plane.publisher.current() ?? {};
    assert.equal(snapshot?.classifier.fast?.encoder, 'english-1');
    assert.match(etag ?? '', /\.english-1"$/);
    assert.deepEqual(snapshot?.classifier.fast?.classes[0], before?.classifier.fast?.classes[0]);
    assert.ok(!JSON.stringify(snapshot).includes('Zebedee'));
    await send('DELETE', `${classes}/2/examples/1`);
    assert.deepEqual(centroidsIn(plane), [1]);
    assert.equal(member((await send('GET', `${classes}/2`)).body, 'routable'), false);
  });

  it('are missing in the refined tier if it has no encoder', async (t) => {
    const { send, plane } = await testAdministrator(t);
    await send('POST', classes, code);
    const refined = { name: 'sql', tier: 'refined', refines: ['code'], examples: ['select'] };
    const { body } = await send('POST', classes, refined);
    assert.equal(member(body, 'routable'), false);
    assert.equal(plane.publisher.current()?.snapshot.classifier.refined, null);
  });
});

describe('an evaluation', () => {
  const evaluate = `${classes}/evaluate`;

  it('classifies each example without itself', async (t) => {
    const { send } = await testAdministrator(t);
    for (const { name, examples } of labelledPrompts().slice(0, 4)) {
      await send('POST', classes, { name, examples });
    }
    await send('POST', classes, { name: 'lone', examples: ['only one'] });
    const { status, body } = await send('POST', evaluate);
    assert.equal(status, 200);
    const found = evaluation.parse(body);
    assert.deepEqual(
      found.classes.map((one) => [one.class, one.examples, one.tier, one.refines]),
      ['coding', 'cooking', 'databases', 'finance'].map((name) => [name, 20, 'fast', null]),
    );
    const cooking = found.classes.find((one) => one.class === 'cooking');
    assert.equal(cooking?.verdict, 'good');
    assert.ok(cooking.recall > 0.7 && cooking.mean_margin > 0.1);
    assert.ok(cooking.worst_margin < cooking.mean_margin && !cooking.collides);
    assert.equal(cooking.nearest.length, 3);
    const coding = found.classes.find((one) => one.class === 'coding');
    assert.equal(coding?.nearest[0]?.[0], 'databases');
    for (const one of found.confusions) assert.notEqual(one.actual, one.predicted);
    assert.match(found.note ?? '', /lone$/);
  });

  it('names the label of an example that was classified as another class', async (t) => {
    const { send } = await testAdministrator(t);
    for (const { name, examples } of labelledPrompts().slice(0, 4)) {
      const labelled = examples.map((prompt, index) => ({ prompt, label: `${name} ${index + 1}` }));
      await send('POST', classes, { name, examples: labelled });
    }
    const { confusions } = evaluation.parse((await send('POST', evaluate)).body);
    assert.ok(confusions.length > 0);
    for (const { actual, example_id, label } of confusions) {
      assert.equal(label, `${actual} ${example_id}`);
    }
  });

  it('says that two classes of the same examples collide', async (t) => {
    const { send } = await testAdministrator(t);
    const examples = ['boil an egg', 'roast a chicken', 'bake some bread'];
    await send('POST', classes, { name: 'one', examples });
    await send('POST', classes, { name: 'other', examples: [...examples, 'fry an onion'] });
    const found = evaluation.parse((await send('POST', evaluate)).body);
    assert.deepEqual(
      found.classes.map(({ collides, verdict }) => [collides, verdict]),
      [
        [true, 'collision'],
        [true, 'collision'],
      ],
    );
  });

  it('of too few classes returns only the reason', async (t) => {
    const { send } = await testAdministrator(t);
    await send('POST', classes, code);
    const { body } = await send('POST', evaluate);
    assert.deepEqual(member(body, 'classes'), []);
    assert.match(String(member(body, 'note')), /code/);
  });

  it('is listed with caller, time and version, newest first', async (t) => {
    const { send, plane } = await testAdministrator(t);
    for (const { name, examples } of labelledPrompts().slice(0, 2)) {
      await send('POST', classes, { name, examples });
    }
    assert.deepEqual((await send('GET', `${classes}/evaluations`)).body, []);
    const first = await send('POST', evaluate);
    await send('DELETE', `${classes}/2`);
    const { version } = plane.store.state();
    const second = await send('POST', evaluate);
    const { body: listed } = await send('GET', `${classes}/evaluations`);
    assert.deepEqual(listed, [second.body, first.body]);
    const of = (name: string) => member(second.body, name);
    const told = ['principal_name', 'snapshot_version', 'fast_encoder', 'refined_encoder'].map(of);
    assert.deepEqual(told, ['boss', version, 'english-1', null]);
    assert.ok(Math.abs(Date.parse(String(of('evaluated_at'))) - Date.now()) < 60_000);
    assert.notEqual(member(first.body, 'snapshot_version'), version);
  });

  it('is kept until 20 newer ones exist', async (t) => {
    const { send, plane } = await testAdministrator(t);
    const ids: unknown[] = [];
    for (let made = 0; made < 22; made++)
      ids.push(member((await send('POST', evaluate)).body, 'id'));
    const { body: listed } = await send('GET', `${classes}/evaluations`);
    assert.ok(Array.isArray(listed));
    const kept = ids.slice(2).toReversed();
    assert.deepEqual(
      listed.map((one) => member(one, 'id')),
      kept,
    );
    const rows: unknown[] = await plane.db.query(
      plane.db.sql`select id from op.prompt_class_evaluations`,
    );
    assert.equal(rows.length, 20);
  });

  it('of another release is left out of the list', async (t) => {
    const { send, plane } = await testAdministrator(t);
    await send('POST', evaluate);
    await plane.db.query(plane.db.sql`
      update op.prompt_class_evaluations set result = '{"another": "form"}'`);
    assert.deepEqual((await send('GET', `${classes}/evaluations`)).body, []);
  });

  it('makes no event, and shows no example', async (t) => {
    const { send, plane } = await testAdministrator(t);
    for (const name of ['a', 'b']) {
      await send('POST', classes, { name, examples: ['tell Zebedee', 'ask Zebedee', 'pay him'] });
    }
    const { position } = plane.store.state();
    const { body } = await send('POST', evaluate);
    assert.equal(plane.store.state().position, position);
    assert.ok(!JSON.stringify(body).includes('Zebedee'));
    const rows: unknown[] = await plane.db.query(
      plane.db.sql`select result from op.prompt_class_evaluations`,
    );
    assert.equal(rows.length, 1);
    assert.ok(!JSON.stringify(rows).includes('Zebedee'));
  });
});
