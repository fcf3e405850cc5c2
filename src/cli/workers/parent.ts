// Runs the parent of a proxy with several processes. It forks the workers, which share the port,
// and replaces those that die. It ends on a signal, or if workers keep dying. The parent serves no
// requests.

import cluster from 'node:cluster';
import type { Worker } from 'node:cluster';
import { once } from 'node:events';

import type { Log } from '../../telemetry/log.ts';
import { onHangUp } from '../hang-up.ts';
import type { Running } from '../lifetime.ts';
import { shutdownDelaySeconds } from '../shutdown-delay.ts';
import { toParent } from './messages.ts';
import type { ToWorker } from './messages.ts';
import { createParentMetrics } from './parent-metrics.ts';
import { afterDeath } from './restart.ts';
import { slotVariable } from './worker.ts';

export type ParentOptions = Readonly<{
  workers: number;
  shutdownDelay: number | null;
  shutdownGrace: number;
  log: Log;
}>;

type Place = { readonly slot: number; shortLives: number };
type Life = Readonly<{ place: Place; startedAt: number }>;

/**
 * For flushing usage and closing connections after the grace period. A worker that is still running
 * then hangs.
 */
const overdueMs = 15_000;

/** Resolves when every worker serves. Rejects if one cannot start; that worker logs why. */
export async function startWorkers(options: ParentOptions): Promise<Running> {
  const group = new WorkerGroup(options);
  await group.start();
  return { close: () => group.close(), failed: group.failed };
}

class WorkerGroup {
  readonly #options: ParentOptions;
  readonly #lives = new Map<Worker, Life>();
  readonly #metrics = createParentMetrics<Worker>(
    () => this.#lives.keys(),
    (worker) => tell(worker, { gw: 'read_metrics' }),
  );
  readonly #started = Promise.withResolvers<void>();
  readonly #failed = Promise.withResolvers<never>();
  readonly #stopHangUp: () => void;
  #served = 0;
  #isEnding = false;

  constructor(options: ParentOptions) {
    this.#options = options;
    // Until it is awaited, it must not be an unhandled rejection.
    this.#failed.promise.catch(() => {});
    cluster.on('exit', this.#onExit);
    // A second signal ends this process and its workers at once.
    process.on('exit', this.#killAll);
    this.#stopHangUp = onHangUp(() => {
      for (const worker of this.#lives.keys()) worker.process.kill('SIGHUP');
    });
  }

  get failed(): Promise<never> {
    return this.#failed.promise;
  }

  async start(): Promise<void> {
    const { workers, log } = this.#options;
    for (let slot = 0; slot < workers; slot++) this.#fork({ slot, shortLives: 0 });
    try {
      await this.#started.promise;
    } catch (error) {
      await this.close();
      throw error;
    }
    log.info({ workers }, 'all workers serve');
  }

  async close(): Promise<void> {
    const { shutdownDelay, shutdownGrace } = this.#options;
    this.#isEnding = true;
    const limitMs = (shutdownDelaySeconds(shutdownDelay) + shutdownGrace) * 1000 + overdueMs;
    const overdue = setTimeout(this.#killAll, limitMs);
    for (const worker of this.#lives.keys()) tell(worker, { gw: 'drain' });
    while (this.#lives.size > 0) await once(cluster, 'exit');
    clearTimeout(overdue);
    this.#stopHangUp();
    cluster.off('exit', this.#onExit);
    process.off('exit', this.#killAll);
  }

  #fork(place: Place): void {
    const worker = cluster.fork({ [slotVariable]: String(place.slot) });
    this.#lives.set(worker, { place, startedAt: performance.now() });
    worker.on('message', (value: unknown) => void this.#heard(worker, value));
    worker.on('error', (error) =>
      this.#options.log.warn({ error, worker: place.slot }, 'a message to a worker failed'),
    );
  }

  async #heard(worker: Worker, value: unknown): Promise<void> {
    const message = toParent.safeParse(value).data;
    switch (message?.gw) {
      case 'serving':
        if (++this.#served === this.#options.workers) this.#started.resolve();
        return;
      case 'metrics':
        return this.#metrics.answered(worker, message.page);
      case 'gather_metrics':
        return tell(worker, { gw: 'metrics_of_all', page: await this.#metrics.gather() });
      case undefined:
    }
  }

  readonly #onExit = (worker: Worker, code: number | null, signal: string | null): void => {
    const life = this.#lives.get(worker);
    this.#lives.delete(worker);
    this.#metrics.gone(worker);
    if (life === undefined || this.#isEnding) return;
    const { place, startedAt } = life;
    if (this.#served < this.#options.workers) {
      const how = signal === null ? `exit code ${code}` : signal;
      return this.#started.reject(new Error(`worker ${place.slot} did not start (${how})`));
    }
    const { log } = this.#options;
    const fields = { worker: place.slot, pid: worker.process.pid, code, signal };
    const verdict = afterDeath(performance.now() - startedAt, place.shortLives);
    if (verdict.kind === 'give_up') {
      log.error(fields, 'workers keep dying; shutting down');
      const error = new Error(`worker ${place.slot} keeps dying`);
      return void this.close().then(() => this.#failed.reject(error));
    }
    place.shortLives = verdict.shortLives;
    log.warn({ ...fields, again_ms: verdict.afterMs }, 'a worker died; starting another');
    setTimeout(() => this.#isEnding || this.#fork(place), verdict.afterMs);
  };

  readonly #killAll = (): void => {
    for (const worker of this.#lives.keys()) worker.process.kill('SIGKILL');
  };
}

function tell(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message);
}
