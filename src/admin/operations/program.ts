// Describes the process of the admin API: its settings, and the backends of its gateway. The role
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
  /** `file`: a variable names a file, and the value comes from it. */
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
  /** PEM certificates trusted in addition to those of the runtime. */
  ca: readonly string[];
}>;

export type Program = Readonly<{
  role: 'control' | 'all';
  version: string;
  settings: readonly SettingFact[];
  uptimeSeconds: () => number;
  /** True once the process was asked to stop. /readyz then fails, but other requests are served. */
  isLeaving: () => boolean;
  /** Null in role control. */
  backends: () => readonly BackendHealth[];
  /** For clients. Absent if unknown. */
  gateway?: GatewayPlace;
}>;
