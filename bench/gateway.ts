// Compares the cost of a request through gw with that of a minimal Node proxy and of other gateways, on the same work
// in one run. `npm run bench -- [--quick] [--rounds N] [--workload W]… [--candidate C]… [--json] [--write]
// [--check]`. With --check it fails when gw ÷ nginx is clearly above the ratio in RESULTS.md. It needs Linux, because it
// reads /proc.

import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';

import { z } from 'zod';

import { candidateNames } from './gateway/candidates.ts';
import { checkRatios } from './gateway/check.ts';
import { jsonLines, renderReport, summarise } from './gateway/report.ts';
import { writeResults } from './gateway/results.ts';
import { runBenchmark } from './gateway/run.ts';
import { workloadNames } from './gateway/workload.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    workload: { type: 'string', multiple: true },
    candidate: { type: 'string', multiple: true },
  },
});

const rounds = Number(values.rounds ?? (values.quick ? 1 : 3));
if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds must be a positive integer');
if (process.platform !== 'linux') throw new Error('this benchmark reads /proc, which is Linux');

const loadBefore = loadavg()[0] ?? 0;
const { samples, notes } = await runBenchmark({
  rounds,
  ...(values.quick
    ? { firstWarmMs: 1500, warmMs: 500, measureMs: 1200 }
    : { firstWarmMs: 6000, warmMs: 1000, measureMs: 4000 }),
  candidates: z.array(z.enum(candidateNames)).parse(values.candidate ?? candidateNames),
  workloads: z.array(z.enum(workloadNames)).parse(values.workload ?? workloadNames),
  nodeArgv: [],
  say: (line) => console.error(line),
});
const summary = summarise(samples);
for (const note of notes) console.error(note);
console.log(values.json ? jsonLines(summary) : renderReport(summary));
if (values.check) {
  for (const line of checkRatios(summary.ratios)) {
    console.error(line);
    process.exitCode = 1;
  }
}
if (values.write) writeResults({ summary, rounds, notes, loadBefore });
