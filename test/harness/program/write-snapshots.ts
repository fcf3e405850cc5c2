// A process that writes one snapshot after another to a cache and says which it has written, until it is killed.

import { createSnapshotCache } from '../../../src/gateway/control-link/cache.ts';
import { givenSnapshot } from '../gateway/snapshot.ts';

const [path = '', proxyToken = '', first = '1'] = process.argv.slice(2);
const cache = createSnapshotCache({ path, secret: proxyToken });
const keys = Object.fromEntries(Array.from({ length: 2000 }, (_, key) => [`key ${key}`, {}]));
const snapshot = givenSnapshot({ models: {}, keys });

for (let version = Number(first); ; version++) {
  await cache.write({ snapshot: { ...snapshot, version }, seen: [] });
  process.stdout.write(`${version}\n`);
}
