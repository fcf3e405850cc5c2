// What the service block of a configuration file tunes (specification, "Limits": affinity tuning). A control plane has the defaults.

import { z } from 'zod';

const whole = (max: number) => z.int().positive().max(max);

export const tuningFields = {
  /** Bytes of the prompt's beginning that make a conversation's key. */
  prefix_bytes: whole(1024 * 1024).default(2048),
  /** In flight beyond which a backend is not given what belongs to it: this many more than the least loaded… */
  balance_abs: z.int().nonnegative().max(1_000_000).default(8),
  /** …and this many times as much. */
  balance_rel: z.number().min(1).max(1_000_000).default(1.5),
  affinity_slots: whole(16 * 1024 * 1024).default(65_536),
  /** Failures to reach a backend in a row after which it is taken for unhealthy. */
  unhealthy_after: whole(1_000_000).default(2),
  /** Times in a row that a backend's first byte did not come in time, after which it is taken for unhealthy. */
  consecutive_timeout_threshold: whole(1_000_000).default(2),
};

export const tuning = z.object(tuningFields);
export type Tuning = Readonly<z.output<typeof tuning>>;

export const defaultTuning: Tuning = tuning.parse({});
