// Writes one snapshot after another to a cache, most of them as deltas, and prints which it has
// written, until the process is killed.

import { createSnapshotCache } from '../../../src/gateway/control-link/cache.ts';
import { firstEdition, followedBy } from '../../../src/snapshot/delta/edition.ts';
import { wholeOf } from '../../../src/snapshot/paged.ts';
import { pagedOf } from '../gateway/editions.ts';
import { givenSnapshot } from '../gateway/snapshot.ts';

const [path = '', proxyToken = '', first = '1'] = process.argv.slice(2);
const cache = createSnapshotCache({ path, secret: proxyToken });
const keys = Object.fromEntries(Array.from({ length: 2000 }, (_, key) => [`key ${key}`, {}]));
const wholeEvery = 5;
let edition = firstEdition(
  pagedOf({ ...givenSnapshot({ models: {}, keys }), version: Number(first) - 1 }),
);

for (let version = Number(first); ; version++) {
  const next = followedBy(edition, { ...edition, version });
  edition = next.edition;
  const { base, root } = next.delta;
  if (
    !(await cache.append({ delta: next.delta, seen: [], base, root })) ||
    version % wholeEvery === 0
  ) {
    await cache.write({ snapshot: wholeOf(edition), seen: [], root });
  }
  process.stdout.write(`${version}\n`);
}
