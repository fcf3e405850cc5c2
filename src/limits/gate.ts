// Limits the concurrent requests at one backend from one replica and queues the others
// (specification, "Flow-control fields on a backend" and the states of the ceiling). Pure: times
// are monotonic milliseconds. Calls return the waiters that were admitted or timed out; the caller
// notifies them.

import type { FlowControl } from '../snapshot/compile/flow-control.ts';

/**
 * Every request to the backend holds a slot, even while the gate is off, so that a gate that is switched on knows the
 * requests in flight. Invariant: no slot is free while a request waits.
 */
export class Gate<Waiter> {
  /** Null while the gate is off: no request waits and nothing is counted. */
  settings: FlowControl | null = null;
  capacity = Infinity;
  /** Can exceed a ceiling that was lowered, until enough requests have ended. */
  inUse: number;
  admitted = 0;
  refusedFull = 0;
  refusedTimedOut = 0;
  /** In order of arrival, with the arrival time. */
  readonly #queue = new Map<Waiter, number>();

  /** `inUse` counts the requests that are already at the backend. Each must be released. */
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

  /** Returns false when no slot is free. */
  take(): boolean {
    if (this.inUse >= this.capacity) return false;
    this.#admit();
    return true;
  }

  /**
   * Returns false, and counts a refusal, when the queue is full. Call this only when no slot is
   * free.
   */
  join(waiter: Waiter, nowMs: number): boolean {
    if (!this.hasQueueSpace) {
      this.refusedFull++;
      return false;
    }
    this.#queue.set(waiter, nowMs);
    return true;
  }

  /** Does nothing if it is no longer in the queue. */
  leave(waiter: Waiter): void {
    this.#queue.delete(waiter);
  }

  /** Gives the slot to the first waiter. */
  release(): readonly Waiter[] {
    this.inUse--;
    return this.#admitQueued();
  }

  /** When the first waiter times out. Null when no request waits. */
  deadlineMs(): number | null {
    const first = this.#queue.values().next();
    return first.done === true || this.settings === null
      ? null
      : first.value + this.settings.waitMsMax;
  }

  /** Removes and returns the waiters that have timed out. */
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

  /**
   * Adjusts the ceiling to the length of the engine's own queue: at the high-water mark it is halved, and an empty
   * queue raises it by 1.
   */
  observe(waiting: number): readonly Waiter[] {
    if (this.settings === null) return [];
    const { highWater, concurrentMax } = this.settings;
    if (waiting >= highWater) this.capacity = Math.max(1, Math.floor(this.capacity / 2));
    else if (waiting <= 0) this.capacity = Math.min(concurrentMax, this.capacity + 1);
    return this.#admitQueued();
  }

  /** Resets the ceiling to the configured value when the engine reports no queue length. */
  restore(): readonly Waiter[] {
    this.capacity = this.settings?.concurrentMax ?? Infinity;
    return this.#admitQueued();
  }

  /**
   * A lowered ceiling stays lowered, within the new maximum. Waiters and requests in flight are
   * kept.
   */
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
