// The gate of one backend at one replica: it bounds the requests that are at the engine at once, and queues the others (specification,
// "Flow-control fields on a backend" and the states of the ceiling). Pure: time comes in as monotonic milliseconds, and every call
// answers the waiters that got a slot or timed out, so that the caller can tell them.

import type { FlowControl } from '../snapshot/compile/flow-control.ts';

/**
 * Every request to the backend has a slot, also while the gate is off, so that one that is switched on knows what is there.
 * Invariant: while a request waits, no slot is free.
 */
export class Gate<Waiter> {
  /** Null while the gate is off: then no request waits, and nothing is counted. */
  settings: FlowControl | null = null;
  /** The ceiling in force. */
  capacity = Infinity;
  /** Above the ceiling after it was lowered: a debt that is repaid as requests end. */
  inUse: number;
  admitted = 0;
  refusedFull = 0;
  refusedTimedOut = 0;
  /** The waiters in the order in which they came, each with the time at which it came. */
  readonly #queue = new Map<Waiter, number>();

  /** `inUse` are the requests at the backend already, each of which will be released. */
  constructor(inUse = 0) {
    this.inUse = inUse;
  }

  get queued(): number {
    return this.#queue.size;
  }

  get hasSlot(): boolean {
    return this.inUse < this.capacity;
  }

  get hasQueueSpace(): boolean {
    return this.settings === null || this.#queue.size < this.settings.queuedMax;
  }

  /** Takes a slot when one is free. */
  take(): boolean {
    if (this.inUse >= this.capacity) return false;
    this.#admit();
    return true;
  }

  /** Takes a place in the queue; false when it is full, which is counted. Ask only when no slot is free. */
  join(waiter: Waiter, nowMs: number): boolean {
    if (!this.hasQueueSpace) {
      this.refusedFull++;
      return false;
    }
    this.#queue.set(waiter, nowMs);
    return true;
  }

  /** Removes a waiter that gives up. Does nothing for one that no longer waits. */
  leave(waiter: Waiter): void {
    this.#queue.delete(waiter);
  }

  /** A request is over: its slot goes to the first who waits. */
  release(): readonly Waiter[] {
    this.inUse--;
    return this.#admitQueued();
  }

  /** When the wait of the first waiter times out; null when no request waits. */
  deadlineMs(): number | null {
    const first = this.#queue.values().next();
    return first.done === true || this.settings === null
      ? null
      : first.value + this.settings.waitMsMax;
  }

  /** Removes the waiters that have waited for too long, and answers them. */
  expire(nowMs: number): readonly Waiter[] {
    if (this.settings === null) return [];
    const expired: Waiter[] = [];
    for (const [waiter, sinceMs] of this.#queue) {
      if (sinceMs + this.settings.waitMsMax > nowMs) break;
      expired.push(waiter);
      this.#queue.delete(waiter);
    }
    this.refusedTimedOut += expired.length;
    return expired;
  }

  /** Adjusts the ceiling to the number of requests in the engine's own queue: too many halve it, none raises it by one. */
  observe(waiting: number): readonly Waiter[] {
    if (this.settings === null) return [];
    const { highWater, concurrentMax } = this.settings;
    if (waiting >= highWater) this.capacity = Math.max(1, Math.floor(this.capacity / 2));
    else if (waiting <= 0) this.capacity = Math.min(concurrentMax, this.capacity + 1);
    return this.#admitQueued();
  }

  /** Without the engine's own word the ceiling is the configured one. */
  restore(): readonly Waiter[] {
    this.capacity = this.settings?.concurrentMax ?? Infinity;
    return this.#admitQueued();
  }

  /** A ceiling that was lowered stays lowered, within the new maximum. No waiter and no request in flight is sent away. */
  configure(settings: FlowControl | null): readonly Waiter[] {
    const most = this.settings?.concurrentMax ?? Infinity;
    this.settings = settings;
    const isLowered = this.capacity < most;
    const next = settings?.concurrentMax ?? Infinity;
    this.capacity = isLowered && settings !== null ? Math.min(this.capacity, next) : next;
    return this.#admitQueued();
  }

  #admitQueued(): readonly Waiter[] {
    if (this.#queue.size === 0) return none;
    const admitted: Waiter[] = [];
    for (const waiter of this.#queue.keys()) {
      if (this.inUse >= this.capacity) break;
      this.#queue.delete(waiter);
      this.#admit();
      admitted.push(waiter);
    }
    return admitted;
  }

  #admit(): void {
    this.inUse++;
    if (this.settings !== null) this.admitted++;
  }
}

const none: readonly never[] = [];
