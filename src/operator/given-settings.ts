// Checks the settings that a resource sets by variable: all of the settings table except those that
// the operator decides. Reports problems before anything is written.

import type { DeploymentResource } from '../kubernetes/gw-deployment.ts';
import type { Problem } from './status.ts';

/** By variable, from the settings table. */
export type KnownSettings = ReadonlyMap<string, KnownSetting>;
export type KnownSetting = Readonly<{
  isSecret: boolean;
  /** Null if the value is valid. */
  problemOf: (value: string) => string | null;
}>;

/** Variables that `settings` cannot set, and what to use instead. */
export const ownVariables: ReadonlyMap<string, string> = new Map([
  ['GW_ROLE', 'the operator sets it'],
  ['GW_HOST', 'the operator sets it'],
  ['GW_PORT', 'the operator sets it'],
  ['GW_ADMIN_PORT', 'the operator sets it'],
  ['GW_CONTROL_URL', 'the operator sets it'],
  ['GW_OPERATOR_RESOURCE', 'the operator sets it'],
  ['GW_CONFIG', 'managed proxies follow their control plane'],
  ['GW_DATABASE_URL', 'use spec.database'],
  ['GW_PROXY_TOKEN', 'use spec.proxyToken'],
  ['GW_ENCRYPTION_KEY', 'use spec.encryptionKey'],
  ['GW_ENCRYPTION_KEY_PREVIOUS', 'use spec.encryptionKeyPrevious'],
  ['GW_TLS_CERT', 'use spec.control.tlsSecretName'],
  ['GW_TLS_KEY', 'use spec.control.tlsSecretName'],
  ['GW_POLICY', 'use spec.proxy.policy'],
  ['GW_UPSTREAM_TIMEOUT', 'use spec.proxy.upstreamTimeout'],
  ['GW_WORKERS', 'use spec.proxy.workers'],
  ['GW_POOL_MAX_IDLE', 'use spec.proxy.poolMaxIdle'],
]);

/** Null if all settings are valid. Names the field but no value. */
export function problemInSettings(
  { spec }: DeploymentResource,
  known: KnownSettings,
): Problem | null {
  for (const component of ['control', 'proxy'] as const) {
    const { settings, secretSettings } = spec[component];
    const given = [
      ...Object.entries(settings).map(([name, value]) => ({ field: 'settings', name, value })),
      ...Object.keys(secretSettings).map((name) => ({
        field: 'secretSettings',
        name,
        value: null,
      })),
    ];
    for (const { field, name, value } of given) {
      const wrong = problemOf(name, value, known);
      if (wrong === null) continue;
      const message = `spec.${component}.${field}.${name}: ${wrong}`;
      return { reason: 'SettingRefused', message };
    }
  }
  return null;
}

/** `value` is null if it comes from a Secret, which the operator does not read. */
function problemOf(name: string, value: string | null, known: KnownSettings): string | null {
  const own = ownVariables.get(name);
  if (own !== undefined) return own;
  const setting = known.get(name);
  if (setting === undefined) return 'this setting does not exist in this release';
  if (value === null) return null;
  if (setting.isSecret)
    return 'this setting is a secret; reference a key of a Secret under secretSettings';
  return setting.problemOf(value);
}
