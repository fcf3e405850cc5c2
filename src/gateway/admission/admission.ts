// Flow control of a backend: hands the slots of its gate to requests, lets those wait that get none, and tells each how its wait
// ended (specification, "Flow-control fields on a backend").

import type { Clock } from '../../lib/clock.ts';
import { Gate } from '../../limits/gate.ts';
import type { FlowControl } from '../../snapshot/compile/flow-control.ts';
import type { AdmissionReading } from '../../telemetry/metrics.ts';
import type { Exchange, ExchangeListener } from '../transport/boundary.ts';

/** `admitted` holds a slot; the others hold nothing. */
export type Turn = 'admitted' | 'full' | 'timed_out' | 'gone';

/** A timer cannot be set for longer. */
const timerMsMax = 2 ** 31 - 1;

export class Admission {
  readonly #gate: Gate<QueuedRequest>;
  #timer: NodeJS.Timeout | null = null;
  #monotonic: Clock = () => 0;

  /** `inFlight` are the requests at the backend already. */
  constructor(inFlight: number) {
    this.#gate = new Gate(inFlight);
  }

  get hasSlot(): boolean {
    return this.#gate.hasSlot;
  }

  get hasQueueSpace(): boolean {
    return this.#gate.hasQueueSpace;
  }

  /** False when no slot is free. Who takes one releases it. */
  take(): boolean {
    return this.#gate.take();
  }

  release(): void {
    admitAll(this.#gate.release());
  }

  /** Waits for a slot after take() found none. */
  async wait(exchange: Exchange, monotonic: Clock): Promise<Turn> {
    this.#monotonic = monotonic;
    const queued = new QueuedRequest((left) => this.#gate.leave(left));
    if (!this.#gate.join(queued, monotonic())) return 'full';
    exchange.listen(queued);
    if (exchange.isGone) queued.onGone();
    if (this.#timer === null) this.#watch();
    const turn = await queued.turn;
    if (turn !== 'admitted' || !exchange.isGone) return turn;
    this.release();
    return 'gone';
  }

  /** A request that found no slot here goes elsewhere. */
  countFull(): void {
    this.#gate.refusedFull++;
  }

  /** So many requests wait in the engine; null when it has long not said. */
  observe(waiting: number | null): void {
    admitAll(waiting === null ? this.#gate.restore() : this.#gate.observe(waiting));
  }

  /** Null turns the gate off. */
  configure(settings: FlowControl | null): void {
    admitAll(this.#gate.configure(settings));
    // Those who wait are held to the new longest wait.
    if (this.#timer !== null) this.#watch();
  }

  /** Null while the gate is off. */
  read(): AdmissionReading | null {
    const { settings, capacity, inUse, queued } = this.#gate;
    if (settings === null) return null;
    const { admitted, refusedFull, refusedTimedOut } = this.#gate;
    const { concurrentMax } = settings;
    return { concurrentMax, capacity, inUse, queued, admitted, refusedFull, refusedTimedOut };
  }

  /** One timer, for the first of the queue: all others wait for at least as long. */
  #watch(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const deadlineMs = this.#gate.deadlineMs();
    if (deadlineMs === null) return;
    const leftMs = Math.min(timerMsMax, Math.max(0, Math.ceil(deadlineMs - this.#monotonic())));
    this.#timer = setTimeout(() => {
      for (const queued of this.#gate.expire(this.#monotonic())) queued.end('timed_out');
      this.#watch();
    }, leftMs).unref();
  }
}

function admitAll(admitted: readonly QueuedRequest[]): void {
  for (const queued of admitted) queued.end('admitted');
}

/** A request in the queue, which its client may leave. */
class QueuedRequest implements ExchangeListener {
  readonly turn: Promise<Turn>;
  end: (turn: Turn) => void = () => {};
  readonly #leave: (queued: QueuedRequest) => void;

  constructor(leave: (queued: QueuedRequest) => void) {
    this.#leave = leave;
    this.turn = new Promise((resolve) => (this.end = resolve));
  }

  onDrain(): void {}

  onGone(): void {
    this.#leave(this);
    this.end('gone');
  }
}
