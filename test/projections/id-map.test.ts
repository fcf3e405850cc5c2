// Tests the map of a slice's entities: it reads like a Map sorted by id, and its source never
// changes.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { IdMap } from '../../projections/config/id-map.ts';
import { deepFreeze } from '../harness/events/test-log.ts';

/** Ids at page boundaries, and large ids. */
const id = fc.constantFrom(1, 2, 255, 256, 257, 511, 512, 100_000, Number.MAX_SAFE_INTEGER);
const step = fc.oneof(
  fc.record({ does: fc.constant('set'), id, value: fc.nat() }),
  fc.record({ does: fc.constant('delete'), id, value: fc.nat() }),
  fc.record({ does: fc.constant('copy'), id, value: fc.nat() }),
);

const inOrder = (model: ReadonlyMap<number, number>) => [...model].toSorted(([a], [b]) => a - b);

describe('a map of ids', () => {
  it('reads as a Map does, in the order of ids, and its copies never change', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
        let map = new IdMap<number>();
        const model = new Map<number, number>();
        const kept: { map: IdMap<number>; entries: [number, number][] }[] = [];
        for (const { does, id, value } of steps) {
          if (does === 'set') {
            map.set(id, value);
            model.set(id, value);
          } else if (does === 'delete') {
            map.delete(id);
            model.delete(id);
          } else {
            kept.push({ map: deepFreeze(map), entries: inOrder(model) });
            map = new IdMap(map);
          }
          assert.equal(map.size, model.size);
          assert.equal(map.get(id), model.get(id));
          assert.equal(map.has(id), model.has(id));
        }
        kept.push({ map, entries: inOrder(model) });
        for (const { map, entries } of kept) {
          assert.deepEqual([...map], entries);
          assert.deepEqual(
            [...map.keys()],
            entries.map(([key]) => key),
          );
          assert.deepEqual(
            [...map.values()],
            entries.map(([, value]) => value),
          );
        }
      }),
    );
  });

  it('shares every page with its copy but the one that is written', () => {
    const map = new IdMap<string>();
    for (const id of [1, 300, 600]) map.set(id, 'a');
    const copy = new IdMap(map);
    copy.set(301, 'b');
    const shared = [...map.pages].filter(([number, page]) => copy.pages.get(number) === page);
    assert.deepEqual(
      shared.map(([number]) => number),
      [0, 2],
    );
    assert.equal(map.get(301), undefined);
  });
});
