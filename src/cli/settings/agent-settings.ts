// Lists the settings of `gw agent` (specification, "Host-registration agent").

import { isIP } from 'node:net';

import { z } from 'zod';

import { clusterSettings } from './cluster-settings.ts';
import { define, httpUrl, list, onOrOff, text, wholeNumber } from './setting.ts';
import { settingsTable } from './settings-table.ts';

const secondsMax = 86_400;
const workersMax = 1024;

/** A host name, or an IP address with or without brackets. */
const hostMessage = 'must be a host name or an IP address, without scheme and port';
const host = z
  .string()
  .transform((given) => given.replace(/^\[(.*)\]$/, '$1'))
  .refine((bare) => isIP(bare) !== 0 || /^[a-z\d](?:[a-z\d.-]*[a-z\d])?$/i.test(bare), {
    error: hostMessage,
  });

const portMessage = 'must be comma-separated port numbers from 1 to 65535, or none';
const ports = z
  .string()
  .transform((given): readonly string[] => (given === 'none' ? [] : given.split(',')))
  .pipe(
    z.array(
      z
        .string()
        .trim()
        .regex(/^\d{1,5}$/, { error: portMessage })
        .transform(Number)
        .pipe(z.int().min(1, { error: portMessage }).max(65_535, { error: portMessage })),
      { error: portMessage },
    ),
  )
  .transform((found): readonly number[] => [...new Set(found)]);

/** Must not contain a secret, because logs and lists show it. */
const endpoint = httpUrl.refine(
  (given) => {
    const { username, password, search, hash } = new URL(given);
    return [username, password, search, hash].every((part) => part === '');
  },
  { error: 'must be addresses without user, query and fragment' },
);
const addresses = list.pipe(z.array(endpoint).readonly());
const none: readonly string[] = [];

export const agentSettings = {
  controlUrl: define({
    flag: '--control-url',
    variable: 'GW_CONTROL_URL',
    schema: httpUrl,
    fallback: null,
    description: 'admin address of the control plane to register with',
  }),
  token: define({
    flag: '--token',
    variable: 'GW_AGENT_TOKEN',
    schema: text,
    fallback: null,
    secret: true,
    description: 'API key of the principal that owns the registrations',
  }),
  caCert: define({
    flag: '--ca-cert',
    variable: 'GW_CA_CERT',
    schema: text,
    fallback: null,
    description: 'PEM bundle that replaces the built-in certificates for the control plane',
  }),
  advertise: define({
    flag: '--advertise',
    variable: 'GW_ADVERTISE',
    schema: host,
    fallback: null,
    description: 'host name or IP address at which proxies reach this host; never inferred',
  }),
  scanPorts: define({
    flag: '--scan-ports',
    variable: 'GW_SCAN_PORTS',
    schema: ports,
    fallback: null,
    description:
      'ports to probe on that address; default 8000,8001,8080,8890, or none with --kubernetes',
  }),
  apiBase: define({
    flag: '--api-base',
    variable: 'GW_API_BASE',
    schema: addresses,
    fallback: none,
    repeatable: true,
    description:
      'endpoint to register without probing for it, such as http://10.0.0.5:8000/v1; repeatable',
  }),
  ttl: define({
    flag: '--ttl',
    variable: 'GW_TTL',
    schema: wholeNumber({ from: 2, to: secondsMax }),
    fallback: 90,
    unit: 'seconds',
    description: 'lifetime of a lease without a heartbeat',
  }),
  interval: define({
    flag: '--interval',
    variable: 'GW_INTERVAL',
    schema: wholeNumber({ from: 1, to: secondsMax }),
    fallback: 30,
    unit: 'seconds',
    description: 'time between heartbeats; at most half of --ttl',
  }),
  discoverInterval: define({
    flag: '--discover-interval',
    variable: 'GW_DISCOVER_INTERVAL',
    schema: wholeNumber({ from: 1, to: secondsMax }),
    fallback: 60,
    unit: 'seconds',
    description: 'time between searches for endpoints',
  }),
  probeWorkers: define({
    flag: '--probe-workers',
    variable: 'GW_PROBE_WORKERS',
    schema: wholeNumber({ from: 1, to: workersMax }),
    fallback: 32,
    description: 'maximum number of concurrent probes',
  }),
  providerName: define({
    flag: '--provider-name',
    variable: 'GW_PROVIDER_NAME',
    schema: text,
    fallback: null,
    description:
      'prefix of provider names: the host, or with --kubernetes the cluster; default --node',
  }),
  node: define({
    flag: '--node',
    variable: 'GW_NODE',
    schema: text,
    fallback: null,
    description: 'name of this node; default the host name of the machine',
  }),
  engine: define({
    flag: '--engine',
    variable: 'GW_ENGINE',
    schema: text,
    fallback: null,
    description: 'engine that serves the models, a hint; default from the model list',
  }),
  once: define({
    flag: '--once',
    variable: 'GW_ONCE',
    schema: onOrOff,
    fallback: false,
    description: 'register what is found, then exit',
  }),
  kubernetes: define({
    flag: '--kubernetes',
    variable: 'GW_KUBERNETES',
    schema: onOrOff,
    fallback: false,
    description: 'register the addresses that the Kubernetes API reports as exposed',
  }),
  ...clusterSettings,
  log: settingsTable.log,
  logFormat: settingsTable.logFormat,
} as const;

export type AgentSettingsTable = typeof agentSettings;
