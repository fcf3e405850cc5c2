// Checks that a rate limit or a budget holds: `node bench/limits.ts [--what rate|budget|refills] [--seconds 200] [--limit 600]
// [--proxies 5] [--controls 3]`. Parts of proxies ask control planes, which are processes on one Postgres, over real sockets.
// Every ten seconds one control plane is killed and replaced. Demand comes in spikes at changing proxies. `refills` counts
// the refills of budgets a second instead, and their CPU.

import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';

import { globalSetup, globalTeardown } from '../test/harness/global-setup.ts';
import { testDatabase } from '../test/harness/postgres/postgres.ts';
import { measureBudget } from './limits/budget.ts';
import { startControls } from './limits/controls.ts';
import { measureRateLimit } from './limits/rate.ts';
import { measureRefills } from './limits/refills.ts';

const { values } = parseArgs({
  options: {
    what: { type: 'string', default: 'rate' },
    seconds: { type: 'string', default: '200' },
    limit: { type: 'string', default: '600' },
    proxies: { type: 'string', default: '5' },
    controls: { type: 'string', default: '3' },
    /** The cost of a request differs from its estimate by at most this part. */
    spread: { type: 'string', default: '0' },
  },
});

await globalSetup();
const { url, drop } = await testDatabase();
try {
  console.log(`load average before: ${loadavg()[0]?.toFixed(1)}`);
  const controls = await startControls(url, Number(values.controls));
  const asked = { proxies: Number(values.proxies), seconds: Number(values.seconds) };
  try {
    if (values.what === 'budget') {
      await measureBudget(controls, { ...asked, spread: Number(values.spread) });
    } else if (values.what === 'refills')
      await measureRefills(controls, { databaseUrl: url, ...asked });
    else await measureRateLimit(controls, { ...asked, limit: Number(values.limit) });
  } finally {
    await controls.end();
  }
} finally {
  await drop();
  await globalTeardown();
}
