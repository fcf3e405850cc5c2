// Runs the long suites one after another: tests of `npm test` in sizes that take minutes. An argument selects suites by name: `npm run
// test:soak -- outage`.

import { spawnSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';

type Suite = Readonly<{
  name: string;
  files: readonly string[];
  /** The variables that set the size. Each test file explains its own. */
  sizes: Readonly<Record<string, number>>;
}>;

const suites: readonly Suite[] = [
  {
    name: 'control processes that write and are killed',
    files: ['test/faults/control.test.ts'],
    sizes: { GW_TEST_MUTATIONS: 5000, GW_TEST_KILLS: 20 },
  },
  {
    name: 'fail-overs of the database that lose events',
    files: ['test/faults/fail-over.test.ts'],
    sizes: { GW_TEST_FAIL_OVERS: 20 },
  },
  {
    name: 'properties of commands, rights and secrets',
    files: ['test/long/*.test.ts'],
    sizes: { GW_TEST_RUNS: 10_000 },
  },
  {
    name: 'restores of random histories',
    files: ['test/deciders/restore/restore-properties.test.ts'],
    sizes: { GW_TEST_RUNS: 1000 },
  },
  {
    name: 'change requests in every order of steps',
    files: ['test/deciders/change-properties.test.ts'],
    sizes: { GW_TEST_RUNS: 10_000 },
  },
  {
    name: 'proxies that follow two control planes through losses and kills',
    files: ['test/gateway/control-link/following-properties.test.ts'],
    sizes: { GW_TEST_RUNS: 10_000 },
  },
  {
    name: 'requests that are explained by their usage rows',
    files: ['test/control/history/explain.test.ts'],
    sizes: { GW_TEST_EXPLAINED: 10_000 },
  },
  {
    name: 'what-ifs of random configurations',
    files: ['extensions/what-if/test/what-if.test.ts'],
    sizes: { GW_TEST_WHAT_IFS: 10_000 },
  },
  {
    name: 'leases: schedules of heartbeats, losses and sweeps',
    files: ['test/control/providers/lease-schedules.test.ts'],
    sizes: { GW_TEST_SCHEDULES: 1000 },
  },
  {
    name: 'screens of the management UI in every appearance',
    files: ['test/ui/screens.test.ts'],
    sizes: { GW_TEST_LOOKS: 4 },
  },
  {
    name: 'a long export in the offline viewer',
    files: ['extensions/viewer/ui/test/viewer.test.ts'],
    sizes: { GW_TEST_VIEWER_EVENTS: 300_000 },
  },
  {
    name: 'tampering with the log and its exports',
    files: ['test/faults/random-tampering.test.ts'],
    sizes: { GW_TEST_TAMPERINGS: 10_000 },
  },
  {
    name: 'mutated events of streams that are translated',
    files: ['test/protocols/mutations.test.ts'],
    sizes: { GW_TEST_MUTATED_EVENTS: 1_000_000 },
  },
  {
    name: 'bodies that are read by offsets',
    files: ['test/gateway/body/peek.test.ts', 'test/gateway/body/peek-form.test.ts'],
    sizes: { GW_TEST_BODIES: 100_000 },
  },
  {
    name: 'requests that two readers read',
    files: [
      'test/gateway/transport/request-head.test.ts',
      'test/gateway/transport/reader-differential.test.ts',
    ],
    sizes: { GW_TEST_REQUESTS: 1_000_000, GW_TEST_CONNECTIONS: 100_000 },
  },
  {
    name: 'clients that do not read and clients that leave',
    files: ['test/faults/clients.test.ts'],
    sizes: { GW_TEST_READERS: 40, GW_TEST_LEAVERS: 1000 },
  },
  {
    name: 'a process that is killed while it writes its snapshot cache',
    files: ['test/faults/cache.test.ts'],
    sizes: { GW_TEST_CACHE_KILLS: 1000 },
  },
  {
    name: 'an outage of control plane and database',
    files: ['test/faults/outage.test.ts'],
    sizes: { GW_TEST_OUTAGE_REQUESTS: 100_000 },
  },
  {
    name: 'an overloaded engine',
    files: ['test/limits/gate.test.ts', 'test/faults/overload.test.ts'],
    sizes: {
      GW_TEST_GATE_OPERATIONS: 100_000,
      GW_TEST_GATE_LEAVERS: 10_000,
      GW_TEST_OVERLOAD_SECONDS: 10,
    },
  },
  {
    name: 'streams during a shutdown',
    files: ['test/e2e/shutdown.test.ts'],
    sizes: { GW_TEST_DRAINS: 20 },
  },
  {
    name: 'three proxies under one limit',
    files: ['test/e2e/three-proxies.test.ts'],
    sizes: { GW_TEST_LIMIT: 600, GW_TEST_LIMIT_SECONDS: 30 },
  },
];

/** Timeout of each test, in milliseconds. The one with most requests takes an hour on two busy cores. */
const testTimeout = 4 * 3_600_000;

/** @returns whether every test of the suite passed */
function run(suite: Suite): boolean {
  const environment = Object.fromEntries(
    Object.entries(suite.sizes).map(([name, size]) => [name, String(size)]),
  );
  const flags = [
    '--test',
    '--test-concurrency=1',
    '--test-global-setup=test/harness/global-setup.ts',
    `--test-timeout=${testTimeout}`,
  ];
  const { status } = spawnSync(process.execPath, [...flags, ...suite.files], {
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  return status === 0;
}

const word = process.argv[2] ?? '';
const chosen = suites.filter(({ name }) => name.includes(word));
if (chosen.length === 0) {
  process.stderr.write(`no long suite matches "${word}" in its name\n`);
  process.exitCode = 2;
}

const lines = chosen.map((suite) => {
  const start = performance.now();
  const passed = run(suite);
  if (!passed) process.exitCode = 1;
  const seconds = Math.round((performance.now() - start) / 1000);
  return `${passed ? 'passed' : 'FAILED'}  ${seconds} s  ${suite.name}\n`;
});
process.stdout.write(lines.join(''));
