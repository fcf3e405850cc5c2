// What the admin API knows of the process that it runs in, besides the control plane: how it was started and what its own gateway
// sees. The role that serves it says so.

import { z } from 'zod';

import { flowFields } from '../../snapshot/health-report.ts';

/** A setting as it took effect. Of a secret it is known only whether it is set. */
export const settingFact = z.object({
  name: z.string(),
  /** Null when it is set by environment alone. */
  flag: z.string().nullable(),
  variable: z.string(),
  description: z.string(),
  unit: z.string().nullable(),
  /** `file` is a file that a variable names. */
  source: z.enum(['flag', 'env', 'file', 'default']),
  is_secret: z.boolean(),
  is_set: z.boolean(),
  /** Null when it is not set, and for a secret. */
  value: z.union([z.string(), z.number(), z.boolean(), z.array(z.string()).readonly()]).nullable(),
});
export type SettingFact = Readonly<z.output<typeof settingFact>>;

/** One backend as the gateway of this process sees it. */
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
  /** Null while it is not known. */
  url: () => string | null;
  /** PEM certificates that are trusted besides the runtime's own. */
  ca: readonly string[];
}>;

export type Program = Readonly<{
  role: 'control' | 'all';
  version: string;
  settings: readonly SettingFact[];
  uptimeSeconds: () => number;
  /** It was told to end: /readyz says so, whatever else is served until then. */
  isLeaving: () => boolean;
  /** None in role control, which has no gateway. */
  backends: () => readonly BackendHealth[];
  /** Where its clients reach the gateway; not known when absent. */
  gateway?: GatewayPlace;
}>;
