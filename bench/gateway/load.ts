// The load generator as a process: a closed loop over N connections, with one request in flight on each. It reads one
// job per line and checks the status and bytes of every answer, also during the warm-up.

import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';

import { createAnswerReader } from './answer-reader.ts';
import { job } from './job.ts';
import type { Job, Measurement } from './job.ts';
import { cpuMs, rssMegabytes } from './process-cost.ts';

const readBytes = 64 * 1024;
/** Requests in flight at the end of the window must be answered within this time. */
const drainMsMax = 10_000;

const lines = createInterface({ input: process.stdin });
console.log('ready');
for await (const line of lines) {
  const result = await run(job.parse(JSON.parse(line)));
  console.log(JSON.stringify(result));
}

type Loop = { sent: number; isStopping: boolean; latenciesMs: number[] | null };

async function run(work: Job): Promise<Measurement> {
  const loop: Loop = { sent: 0, isStopping: false, latenciesMs: null };
  const answer = Buffer.from(work.answer, 'base64');
  const requests = work.requests.map((request) => Buffer.from(request, 'base64'));
  const connections = Array.from({ length: work.connections }, (_, index) => {
    const request = requests[index % requests.length] ?? Buffer.alloc(0);
    return keepAsking(loop, { port: work.port, request, answer });
  });
  const all = Promise.all(connections);
  const window = measure(loop, work);
  // A failed connection ends the job, because figures from faulty answers mean nothing.
  await Promise.race([all.then(() => window), window]);
  loop.isStopping = true;
  await Promise.race([all, giveUp()]);
  return { ...(await window), sent: loop.sent };
}

async function giveUp(): Promise<never> {
  await wait(drainMsMax, undefined, { ref: false });
  throw new Error(`an answer did not come within ${drainMsMax} ms`);
}

async function measure(loop: Loop, work: Job): Promise<Omit<Measurement, 'sent'>> {
  await wait(work.warmMs);
  const latenciesMs: number[] = [];
  loop.latenciesMs = latenciesMs;
  const startedAt = performance.now();
  const cpuBefore = work.pid === null ? null : cpuMs(work.pid);
  await wait(work.measureMs);
  const cpuAfter = work.pid === null ? null : cpuMs(work.pid);
  const seconds = (performance.now() - startedAt) / 1000;
  loop.latenciesMs = null;
  const answered = latenciesMs.length;
  if (answered === 0) throw new Error('nothing was answered');
  const sorted = Float64Array.from(latenciesMs).sort();
  const at = (share: number): number => (sorted[Math.floor(answered * share)] ?? 0) * 1000;
  return {
    requestsPerSecond: answered / seconds,
    cpuMicros:
      cpuBefore === null || cpuAfter === null ? null : ((cpuAfter - cpuBefore) * 1000) / answered,
    p50Micros: at(0.5),
    p99Micros: at(0.99),
    rssMegabytes: work.pid === null ? null : rssMegabytes(work.pid),
  };
}

type Asking = Readonly<{ port: number; request: Buffer; answer: Buffer }>;

/** Resolves when the loop has stopped and the last answer has arrived. */
function keepAsking(loop: Loop, { port, request, answer }: Asking): Promise<void> {
  return new Promise((resolve, reject) => {
    const memory = Buffer.allocUnsafe(readBytes);
    let startedAt = 0;
    const send = (): void => {
      loop.sent++;
      startedAt = performance.now();
      socket.write(request);
    };
    const read = createAnswerReader(answer, () => {
      loop.latenciesMs?.push(performance.now() - startedAt);
      if (!loop.isStopping) return send();
      socket.destroy();
      resolve();
    });
    const socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer: memory,
        callback: (length) => {
          try {
            read(memory.subarray(0, length));
          } catch (error) {
            socket.destroy();
            reject(error);
          }
          return true;
        },
      },
    });
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('a connection was closed')));
  });
}
