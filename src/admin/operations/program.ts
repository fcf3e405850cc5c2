// Describes the process of the admin API: how it was started and what its gateway sees. The role
// that serves the API provides it.

import { z } from 'zod';

import { flowFields } from '../../snapshot/health-report.ts';

/** A setting as applied. For a secret, only whether it is set. */
export const settingFact = z.object({
  name: z.string(),
  /** Null if only an environment variable can set it. */
  flag: z.string().nullable(),
  variable: z.string(),
  description: z.string(),
  unit: z.string().nullable(),
  /** `file`: the value comes from a file whose path is in a variable. */
  source: z.enum(['flag', 'env', 'file', 'default']),
  is_secret: z.boolean(),
  is_set: z.boolean(),
  /** Null if it is not set, and for secrets. */
  value: z.union([z.string(), z.number(), z.boolean(), z.array(z.string()).readonly()]).nullable(),
});
export type SettingFact = Readonly<z.output<typeof settingFact>>;

/** A backend as the gateway of this process sees it. */
export const backendHealth = z.object({
  api_base: z.string(),
  model: z.string(),
  healthy: z.boolean(),
  inflight: z.int(),
  requests_total: z.int(),
  errors_total: z.int(),
  ...flowFields,
});
type BackendHealth = Readonly<z.output<typeof backendHealth>>;

export type GatewayPlace = Readonly<{
  /** Null if unknown. */
  url: () => string | null;
  /** Trusted PEM certificates in addition to those of the runtime. */
  ca: readonly string[];
}>;

export type Program = Readonly<{
  role: 'control' | 'all';
  version: string;
  settings: readonly SettingFact[];
  uptimeSeconds: () => number;
  /**
   * True once the process was asked to stop. /readyz then fails, even while other requests are
   * served.
   */
  isLeaving: () => boolean;
  /** Null in role control, which has no gateway. */
  backends: () => readonly BackendHealth[];
  /** Address of the gateway for clients. Absent if unknown. */
  gateway?: GatewayPlace;
}>;
