// Tests the bodies of whole snapshots: their content, and how proxies that ask together share them.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { toPublished } from '../../../src/control/publishing/published.ts';
import type { Published } from '../../../src/control/publishing/published.ts';
import { createWholes } from '../../../src/control/publishing/whole.ts';
import { firstEdition } from '../../../src/snapshot/delta/edition.ts';
import { pagedOf } from '../../harness/gateway/editions.ts';
import { givenSnapshot } from '../../harness/gateway/snapshot.ts';

const backends = [{ apiBase: 'http://one/v1', credential: 'a "quoted" secret' }];
const keys = Object.fromEntries(Array.from({ length: 600 }, (_, key) => [`key ${key}`, {}]));

const publishedAt = (version: number): Published =>
  toPublished(
    firstEdition(pagedOf(givenSnapshot({ version, models: { m: { backends } }, keys }))),
    null,
  );

function wholesOf(first: Published | null) {
  let current = first;
  const wholes = createWholes({ current: () => current, monotonic: () => performance.now() });
  return { ...wholes, publish: (next: Published | null) => void (current = next) };
}

describe('the body of a whole snapshot', () => {
  it('is the snapshot, with all pages and secrets', async () => {
    const published = publishedAt(1);
    const whole = await wholesOf(published).newest();
    assert.deepEqual(JSON.parse(String(whole?.sendable.bytes)), published.snapshot);
    assert.equal(Object.keys(published.snapshot.secrets).length, 601);
  });

  it('is made once for all who ask, also while an earlier one is made', async () => {
    const [one, two, three] = [publishedAt(1), publishedAt(2), publishedAt(3)];
    const { newest, publish } = wholesOf(one);
    const early = [newest(), newest()];
    publish(two);
    const waiting = [newest()];
    publish(three);
    waiting.push(newest());
    const [first, second] = await Promise.all(early);
    assert.equal(first?.published, one);
    assert.equal(second, first);
    const [third, fourth] = await Promise.all(waiting);
    assert.equal(third?.published, three);
    assert.equal(fourth, third);
    assert.equal(await newest(), third);
  });

  it('is not kept if a newer snapshot was published before it was complete', async () => {
    const [one, two] = [publishedAt(1), publishedAt(2)];
    const { newest, publish } = wholesOf(one);
    const making = newest();
    publish(two);
    const first = await making;
    publish(one);
    assert.notEqual(await newest(), first);
  });

  it('is made again after it was forgotten, and is null without a snapshot', async () => {
    const published = publishedAt(1);
    const { newest, publish, forget } = wholesOf(published);
    const first = await newest();
    forget();
    const second = await newest();
    assert.notEqual(second, first);
    assert.equal(second?.published, published);
    publish(null);
    assert.equal(await newest(), null);
  });
});
