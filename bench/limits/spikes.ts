// Chooses the proxies that get the spikes of a benchmark.

import { createLog } from '../../src/telemetry/log.ts';

/** Two proxies, which change with each spike. */
export const hotAmong = <Proxy>(proxies: readonly Proxy[], spike: number): readonly Proxy[] =>
  proxies.filter((_, index) => (index + spike) % proxies.length < 2);

const filter = { base: 'error', targets: new Map() } as const;
/** Failed calls are expected while control planes are killed. */
export const log = createLog({ write: () => {}, filter, format: 'json' });
