// Defines the tuning values of the service block (specification, "Limits": affinity tuning). A
// control plane uses the defaults.

import { z } from 'zod';

const whole = (max: number) => z.int().positive().max(max);

export const tuningFields = {
  /** These bytes at the start of the prompt identify a conversation. */
  prefix_bytes: whole(1024 * 1024).default(2048),
  /**
   * A conversation leaves its backend if that has this many more requests in flight than the least
   * loaded one, and also `balance_rel` times as many.
   */
  balance_abs: z.int().nonnegative().max(1_000_000).default(8),
  balance_rel: z.number().min(1).max(1_000_000).default(1.5),
  affinity_slots: whole(16 * 1024 * 1024).default(65_536),
  /** A backend is unhealthy after this many consecutive connection failures. */
  unhealthy_after: whole(1_000_000).default(2),
  /** A backend is unhealthy after this many consecutive first-byte timeouts. */
  consecutive_timeout_threshold: whole(1_000_000).default(2),
};

export const tuning = z.object(tuningFields);
export type Tuning = Readonly<z.output<typeof tuning>>;

export const defaultTuning: Tuning = tuning.parse({});
