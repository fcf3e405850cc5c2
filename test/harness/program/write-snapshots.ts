// Writes one snapshot after another to a cache and prints which it has written, until the process
// is killed.

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
