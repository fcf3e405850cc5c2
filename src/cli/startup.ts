// Decides whether a role can start with its settings ("What the service does" rule 3; Authentication rules 8 and 9), and collects warnings.

import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import { settingsParts, settingsTable } from './settings/settings-table.ts';
import type { SettingName } from './settings/settings-table.ts';
import { longFlag } from './settings/setting.ts';
import { settingNames } from './settings/settings.ts';
import type { Settings } from './settings/settings.ts';

const proxyTokenCharactersMin = 16;

export function startupRefusals(settings: Settings): readonly Refusal[] {
  const needs = settings.role === 'proxy' ? proxyNeeds(settings) : controlNeeds(settings);
  return [
    ...needs,
    ...tokenRefusals(settings),
    ...tlsRefusals(settings),
    ...sharedAddress(settings),
    ...workerRefusals(settings),
    ...settingsParts.flatMap(({ refusals }) => refusals?.(settings) ?? []),
  ];
}

const invalid = (param: SettingName, message: string): Refusal =>
  refuse('invalid', message, { param });

function proxyNeeds(settings: Settings): readonly Refusal[] {
  const { config, controlUrl, proxyToken } = settings;
  if (config !== null && controlUrl !== null) {
    return [invalid('config', 'role proxy takes --config or --control-url, not both')];
  }
  if (config !== null) return [];
  if (controlUrl === null) {
    return [
      invalid('controlUrl', 'role proxy needs --control-url and --proxy-token, or --config <file>'),
    ];
  }
  if (proxyToken === null) {
    return [invalid('proxyToken', '--control-url needs --proxy-token (GW_PROXY_TOKEN)')];
  }
  return [];
}

function controlNeeds(settings: Settings): readonly Refusal[] {
  const { role, databaseUrl, encryptionKey } = settings;
  const missing: Refusal[] = [];
  if (databaseUrl === null) {
    missing.push(
      invalid('databaseUrl', `role ${role} needs a Postgres: --database-url (GW_DATABASE_URL)`),
    );
  }
  if (encryptionKey === null) {
    missing.push(
      invalid(
        'encryptionKey',
        `role ${role} needs GW_ENCRYPTION_KEY, 64 hex digits; make one with: openssl rand -hex 32`,
      ),
    );
  }
  return missing;
}

function tokenRefusals({ proxyToken }: Settings): readonly Refusal[] {
  if (proxyToken === null || proxyToken.length >= proxyTokenCharactersMin) return [];
  // The token gives access to every upstream credential, so it must not be guessable.
  const message = `--proxy-token must have at least ${proxyTokenCharactersMin} characters`;
  return [invalid('proxyToken', `${message}, had ${proxyToken.length}`)];
}

function tlsRefusals({ tlsCert, tlsKey }: Settings): readonly Refusal[] {
  if ((tlsCert === null) === (tlsKey === null)) return [];
  const [given, missing] =
    tlsCert === null ? ['--tls-key', '--tls-cert'] : ['--tls-cert', '--tls-key'];
  return [invalid(tlsCert === null ? 'tlsCert' : 'tlsKey', `${given} needs ${missing}`)];
}

/**
 * `/snapshot` carries decrypted credentials, so the admin listener never shares the gateway's
 * address.
 */
function sharedAddress({ role, port, adminPort }: Settings): readonly Refusal[] {
  if (role !== 'all' || port !== adminPort || port === 0) return [];
  return [
    invalid(
      'adminPort',
      `--port and --admin-port are both ${port}; the listeners cannot share an address`,
    ),
  ];
}

/** A control plane and a gateway that share state are one process. */
function workerRefusals({ role, workers }: Settings): readonly Refusal[] {
  if (role === 'proxy' || workers === 1) return [];
  return [
    invalid('workers', `--workers ${workers} is only for role proxy; role ${role} is one process`),
  ];
}

export function startupWarnings(settings: Settings): readonly string[] {
  const warnings: string[] = [];
  if (settings.role === 'control' && settings.proxyToken === null) {
    warnings.push('no --proxy-token is set, so no proxy can fetch a snapshot');
  }
  if (settings.config !== null && settings.workers > 1) {
    warnings.push(
      `--workers ${settings.workers}: without a control plane, each worker enforces the full limits of a key, so the total is higher`,
    );
  }
  if (settings.webhookUrl !== null && settings.role === 'proxy') {
    warnings.push('--webhook-url has no effect in role proxy; set it on the control plane');
  }
  if (settings.webhookSecret !== null && settings.webhookUrl === null) {
    warnings.push('--webhook-secret has no effect without --webhook-url');
  }
  warnings.push(...settingsParts.flatMap((part) => part.warnings?.(settings) ?? []));
  if (settings.masterKey !== null) {
    warnings.push('--master-key is deprecated; create a key for each client');
  }
  return [...secretsInSight(settings), ...warnings];
}

/** The process list shows arguments. */
function secretsInSight({ sources }: Settings): readonly string[] {
  return settingNames().flatMap((name) => {
    const setting = settingsTable[name];
    if (!setting.secret || sources[name] !== 'flag') return [];
    const { variable } = setting;
    const flag = longFlag(setting);
    return `${flag} is visible to every user of this machine; use ${variable} or ${variable}_FILE`;
  });
}
