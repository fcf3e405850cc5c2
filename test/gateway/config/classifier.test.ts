// Requests that are classified: when, by which tier, and what the rules, the usage row and the counters make of it.

import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import type { Encoders, RefinedEncoder } from '../../../src/classifier/encoder.ts';
import {
  letterEncoder,
  lettersInProcess,
  refinedLetters,
  withExamples,
} from '../../harness/classifier/prompt-classes.ts';
import { startTestGateway } from '../../harness/gateway/gateway.ts';
import { givenSnapshot } from '../../harness/gateway/snapshot.ts';
import type { GivenSnapshot } from '../../harness/gateway/snapshot.ts';
import { answerJson, startUpstream } from '../../harness/upstream/upstream.ts';

const examples = { abc: ['abc'], xyz: ['xyz'], ab: ['aab', 'abb'], bc: ['bbc', 'bcc'] };
/** In the order of their ids; the refined ones with what they refine. */
const promptClasses = { abc: [], xyz: [], ab: ['abc'], bc: ['abc'] } as const;
const classIds = { abc: 1, xyz: 2, ab: 3, bc: 4 } as const;

type Options = Readonly<{ refined?: RefinedEncoder; rules?: readonly (keyof typeof classIds)[] }>;

/** A frontend model `house` with a rule a named class, to a model of the class's name, else to `other`. */
async function startHouse(t: TestContext, { refined, rules = ['abc', 'xyz'] }: Options = {}) {
  const upstream = await startUpstream(answerJson());
  t.after(() => upstream[Symbol.asyncDispose]());
  const backends = [{ apiBase: upstream.apiBase }];
  const names = [...Object.keys(promptClasses), 'other'];
  const given: GivenSnapshot = {
    models: Object.fromEntries(names.map((name) => [name, { backends }])),
    keys: { key: {} },
    promptClasses,
    frontendModels: {
      house: {
        rules: rules.map((name) => ({ when: { class: classIds[name] }, targets: [name] })),
        defaults: ['other'],
      },
      porch: { rules: [{ jump: 'house' }] },
      plain: { defaults: ['other'] },
    },
  };
  const encoders: Encoders = { fast: lettersInProcess, refined: refined ?? null };
  const gateway = await startTestGateway(null, { encoders });
  t.after(() => gateway[Symbol.asyncDispose]());
  const snapshot = withExamples(givenSnapshot(given), examples, {
    fast: 'letters',
    refined: refined?.identity ?? null,
  });
  assert.equal(gateway.live.apply(snapshot), undefined);
  const served = async (text: string, model = 'house'): Promise<string | null> => {
    const response = await gateway.chat({ model, messages: [{ role: 'user', content: text }] });
    await response.arrayBuffer();
    return response.headers.get('x-gw-served-model');
  };
  const counted = async (name: string): Promise<number> => {
    const page = await gateway.metrics();
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(page)?.[1]);
  };
  return { gateway, snapshot, served, counted };
}

const inProcess = async (texts: readonly string[]) => texts.map(letterEncoder.embed);

describe('a prompt', () => {
  it('is routed by the class that it is nearest to, and by none when two are as near', async (t) => {
    const { served, gateway, counted } = await startHouse(t);
    assert.equal(await served('aabbc'), 'abc');
    assert.equal(await served('xyzzy'), 'xyz');
    assert.equal(await served('abcxyz'), 'other');
    assert.equal(await served('123'), 'other');
    assert.equal(await served('xyz', 'porch'), 'xyz');
    assert.deepEqual(
      gateway.events.map((event) => event.prompt_class_id),
      [1, 2, null, null, 2],
    );
    assert.equal(await counted('gw_classified_fast_total'), 3);
    assert.equal(await counted('gw_unclassified_total'), 2);
    assert.equal(await counted('gw_classify_duration_seconds_count'), 5);
  });

  it('is not classified when no rule that it may come to names a class', async (t) => {
    const { served, counted, gateway } = await startHouse(t);
    assert.equal(await served('abc', 'plain'), 'other');
    assert.equal(await served('abc', 'abc'), 'abc');
    assert.equal(await counted('gw_classify_duration_seconds_count'), 0);
    assert.equal(await counted('gw_classified_fast_total'), 0);
    assert.equal(await counted('gw_unclassified_total'), 0);
    assert.deepEqual(
      gateway.events.map((event) => event.prompt_class_id),
      [null, null],
    );
  });

  it('has no class when the centroids come from another encoder, and logs it once', async (t) => {
    const { served, gateway, snapshot } = await startHouse(t);
    for (const version of [2, 3]) {
      const { fast } = snapshot.classifier;
      assert.ok(fast !== null);
      const classifier = { fast: { ...fast, encoder: 'words' }, refined: null };
      gateway.live.apply({ ...snapshot, version, classifier });
      assert.equal(await served('abc'), 'other');
    }
    const said = gateway.logLines.filter(({ message }) => message.includes('another encoder'));
    assert.deepEqual(
      said.map(({ fields }) => fields),
      [{ tier: 'fast', made_with: 'words', own: 'letters' }],
    );
  });
});

describe('a refined class', () => {
  const rules = ['bc', 'ab', 'abc'] as const;

  it('takes what it is nearest to of what the class it refines would have had', async (t) => {
    const { served, counted, gateway } = await startHouse(t, {
      rules,
      refined: refinedLetters(inProcess),
    });
    assert.equal(await served('aabab'), 'ab');
    assert.equal(await served('bcbcc'), 'bc');
    assert.equal(await served('aabbcc'), 'abc');
    assert.equal(await served('xyz'), 'other');
    assert.deepEqual(
      gateway.events.map((event) => event.prompt_class_id),
      [3, 4, 1, 2],
    );
    assert.equal(await counted('gw_classified_refined_total'), 2);
    assert.equal(await counted('gw_classified_fast_total'), 2);
    assert.equal(await counted('gw_classify_escalations_total'), 3);
  });

  it('counts as the class that it refines', async (t) => {
    const { served } = await startHouse(t, {
      rules: ['abc', 'ab'],
      refined: refinedLetters(inProcess),
    });
    assert.equal(await served('aabab'), 'abc');
  });

  it('is not asked for where no rule names one, and its encoder is not loaded', async (t) => {
    let asked = 0;
    const refined = refinedLetters((texts) => {
      asked++;
      return inProcess(texts);
    });
    const { served, counted } = await startHouse(t, { refined });
    assert.equal(await served('aabab'), 'abc');
    assert.equal(asked, 0);
    assert.equal(await counted('gw_classify_escalations_total'), 0);
  });

  it('leaves the fast tier its word when its encoder is absent, fails or is late', async (t) => {
    const failing = refinedLetters(async () => {
      await setImmediate();
      throw new Error('no runtime');
    });
    for (const refined of [undefined, failing]) {
      const { served } = await startHouse(t, { rules, ...(refined && { refined }) });
      assert.equal(await served('aabab'), 'abc');
    }
  });
});
