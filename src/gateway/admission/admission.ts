// Implements flow control for a backend: assigns the slots of its gate and queues requests without
// a slot (specification, "Flow-control fields on a backend").

import type { Clock } from '../../lib/clock.ts';
import { Gate } from '../../limits/gate.ts';
import type { FlowControl } from '../../snapshot/compile/flow-control.ts';
import type { AdmissionReading } from '../../telemetry/metrics.ts';
import type { Exchange, ExchangeListener } from '../transport/boundary.ts';

/** Only `admitted` holds a slot. */
export type Turn = 'admitted' | 'full' | 'timed_out' | 'gone';

/** The longest delay of a timer in Node. */
const timerMsMax = 2 ** 31 - 1;

export class Admission {
  readonly #gate: Gate<QueuedRequest>;
  #timer: NodeJS.Timeout | null = null;
  #monotonic: Clock = () => 0;

  /** `inFlight` counts the requests that are already at the backend. */
  constructor(inFlight: number) {
    this.#gate = new Gate(inFlight);
  }

  get hasSlot(): boolean {
    return this.#gate.hasSlot;
  }

  get hasQueueSpace(): boolean {
    return this.#gate.hasQueueSpace;
  }

  /** Returns false when no slot is free. The caller must release a slot. */
  take(): boolean {
    return this.#gate.take();
  }

  release(): void {
    admitAll(this.#gate.release());
  }

  /** Call this after `take` returned false. */
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

  /** Counts a request that continues elsewhere because no slot was free. */
  countFull(): void {
    this.#gate.refusedFull++;
  }

  /**
   * Receives the length of the engine's queue. Null when it has not been reported for a long time.
   */
  observe(waiting: number | null): void {
    admitAll(waiting === null ? this.#gate.restore() : this.#gate.observe(waiting));
  }

  /** Null turns the gate off. */
  configure(settings: FlowControl | null): void {
    admitAll(this.#gate.configure(settings));
    // The new wait limit also applies to requests that already wait.
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

  /** Watches only the first request of the queue, because all others time out later. */
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

/** Leaves the queue when its client disconnects. */
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
