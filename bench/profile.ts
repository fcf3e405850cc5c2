// Runs one workload against gw under V8's sampling profiler and prints the functions with the most self time, those
// of the project first. `node bench/profile.ts [--workload json-1k] [--full] [--top 20]`

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { z } from 'zod';

import { isOurs, originOf, readProfile, sharesBy } from './gateway/cpu-profile.ts';
import type { Taken } from './gateway/cpu-profile.ts';
import { runBenchmark } from './gateway/run.ts';
import { workloadNames } from './gateway/workload.ts';

const { values } = parseArgs({
  options: {
    workload: { type: 'string', default: 'json-1k' },
    full: { type: 'boolean', default: false },
    top: { type: 'string', default: '20' },
  },
});

const measureMs = 5000;
const place = ({ name, file, line }: Taken): string =>
  file === '' ? name : `${name} ${file}:${line}`;

const directory = mkdtempSync(join(tmpdir(), 'gw-profile-'));
try {
  await runBenchmark({
    rounds: 1,
    firstWarmMs: 4000,
    warmMs: 0,
    measureMs,
    candidates: [values.full ? 'gw-full' : 'gw'],
    workloads: [z.enum(workloadNames).parse(values.workload)],
    nodeArgv: ['--cpu-prof', `--cpu-prof-dir=${directory}`],
    say: (line) => console.error(line),
  });
  const [file] = readdirSync(directory);
  if (file === undefined) throw new Error('no profile was written');
  const root = new URL('..', import.meta.url).href;
  const text = readFileSync(join(directory, file), 'utf8');
  printShares(readProfile(text, { root, windowMs: measureMs }));
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function printShares(taken: readonly Taken[]): void {
  print('busy time by origin', sharesBy(taken, originOf));
  print(
    "gw's own functions",
    sharesBy(taken, (sample) => (isOurs(sample) ? place(sample) : null)),
  );
  print(
    'everything else',
    sharesBy(taken, (sample) => (isOurs(sample) ? null : place(sample))),
  );
}

function print(title: string, shares: readonly (readonly [string, number])[]): void {
  const lines = shares
    .slice(0, Number(values.top))
    .map(([name, share]) => `${share.toFixed(2).padStart(6)} %  ${name}`);
  console.log(`${title}\n${lines.join('\n')}\n`);
}
