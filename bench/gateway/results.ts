// Writes the gateway's part of bench/RESULTS.md: what was measured, on what, and what it does not show. What
// follows it in that file, from "Where the time goes" on, is left as it is.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, release } from 'node:os';
import { join } from 'node:path';

import { z } from 'zod';

import { isPinned } from './child.ts';
import { portkeyVersion } from './portkey.ts';
import { renderReport } from './report.ts';
import type { Summary } from './report.ts';
import { paceMs } from './workload.ts';

export const resultsFile = join(import.meta.dirname, '../RESULTS.md');
const nextPart = '\n### Where the time goes\n';

export type Results = Readonly<{
  summary: Summary;
  rounds: number;
  notes: readonly string[];
  /** The load average of the machine before the run, which shows other work. */
  loadBefore: number;
}>;

export function writeResults(results: Results): void {
  const before = existsSync(resultsFile) ? readFileSync(resultsFile, 'utf8') : '';
  const at = before.indexOf(nextPart);
  writeFileSync(resultsFile, renderPart(results) + (at === -1 ? '' : before.slice(at)));
}

function renderPart({ summary, rounds, notes, loadBefore }: Results): string {
  const processors = cpus();
  const date = new Date().toISOString().slice(0, 10);
  return `# Results

Compare the ratios: absolute times depend on the machine and the day.

## The gateway

Measured on ${date} with \`npm run bench -- --rounds ${rounds} --write\`.

- Machine: ${processors.length} × ${processors[0]?.model ?? 'unknown'}, Linux ${release()}, Node ${process.version}.
- Load average of the machine before the run: ${loadBefore.toFixed(2)}. A machine with other work gives larger figures.
- Cores: ${isPinned ? 'the candidate alone on one; upstream and load generator share another' : 'not pinned'}.
- undici ${dependencyVersion('undici')}, fastify ${dependencyVersion('fastify')}, portkey ${portkeyVersion}.
- Medians of ${rounds} interleaved rounds; a ratio is the median of the ratios inside the rounds.
- 64 connections in a closed loop; TCP over loopback, no TLS.

${renderReport(summary)}

CPU µs is the time that the candidate's process runs for a request, in user and kernel mode; \`busy\` is how much of its core that is.
\`÷ floor\`, \`÷ nginx\` and \`÷ portkey\` are ratios of CPU.

Candidates:

- **direct**: the load generator against the upstream, nothing between.
- **nginx**: one process without a master, kept connections to the upstream, \`proxy_buffering off\`, no access log.
- **floor**: \`node:http\` and undici's \`dispatch\`, bytes are forwarded, nothing is parsed or decided.
- **hello**: \`node:http\` that reads the request and answers with stored bytes; only for \`cache-hit\`.
- **gw**: role proxy in File mode, 20 models, 16 keys, two backends for each requested model; no usage rows.
- **haproxy**: one process with one thread, which reuses connections to the upstream.
- **gw-full**: role proxy in Http mode with everything on. The key has rate limits and budgets. The frontend model has
  eight rules that do not match, a pool of two and a fallback. Each usage row is sent to a control plane.
- **portkey**: \`@portkey-ai/gateway\` from npm, addressed by its provider and custom-host headers.

Workloads: \`json-1k\`, \`json-32k\` and \`code-32k\` are requests of that size with an answer of 1 KB. The prompt of
\`code-32k\` is source code, of which JSON escapes every sixth byte; \`sse-50\` is a request of 1 KB
answered by 50 events and \`[DONE]\`, each its own chunk, written at once. \`sse-paced\` is the same with ${paceMs} ms between the
chunks, over 256 connections; its CPU µs are of a stream. \`cache-hit\` is \`json-1k\` of a model whose answers are cached.

The run checked every answer: a 200 with the right bytes (for portkey: always the same bytes, with the upstream's choices
and usage). \`gw_requests_total\` was the number of requests sent. Each request of gw-full became a usage row with its
token counts or was counted as dropped:
${notes.join('; ')}.

What this does not show: thousands of streams, many idle connections, TLS, failing upstreams, several processes, a
network. Latencies are those of a saturated closed loop, so they repeat the throughput. Candidates differ in what they do:
portkey checks no key and keeps no counts here; the floor decides nothing.
`;
}

const manifest = z.object({ version: z.string() });

function dependencyVersion(name: string): string {
  const path = join(import.meta.dirname, '../../node_modules', name, 'package.json');
  return manifest.parse(JSON.parse(readFileSync(path, 'utf8'))).version;
}
