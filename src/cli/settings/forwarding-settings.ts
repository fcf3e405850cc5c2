// Lists the settings for forwarding requests: timeouts, retries, bodies, the response cache, engines, connections.

import { connectionsPerAddressDefault } from '../../ingress/bound-connections.ts';
import { choice, define, text, wholeNumber } from './setting.ts';

export const forwardingSettings = {
  upstreamTimeout: define({
    flag: '--upstream-timeout',
    variable: 'GW_UPSTREAM_TIMEOUT',
    schema: wholeNumber({ from: 1, to: 86_400 }),
    fallback: 120,
    unit: 'seconds',
    description: 'timeout for the first byte of an upstream, unless its backend sets another',
  }),
  attemptsMax: define({
    flag: '--attempts-max',
    variable: 'GW_ATTEMPTS_MAX',
    schema: wholeNumber({ from: 1, to: 64 }),
    fallback: 8,
    description: 'maximum attempts per request, over all backends of all targets',
  }),
  maxRetries: define({
    flag: '--max-retries',
    variable: 'GW_MAX_RETRIES',
    schema: wholeNumber({ from: 0, to: 10 }),
    fallback: null,
    description: 'maximum number of other backends to try per model; default all',
  }),
  policy: define({
    flag: '--policy',
    variable: 'GW_POLICY',
    schema: choice(['cache-affinity', 'least-loaded', 'lowest-latency', 'round-robin']),
    fallback: 'cache-affinity',
    description: 'distribution of requests over several backends of one model',
  }),
  budgetState: define({
    flag: '--budget-state',
    variable: 'GW_BUDGET_STATE',
    schema: text,
    fallback: '/var/lib/gw/budgets',
    description: 'directory where a proxy stores the spend of the budgets in its --config file',
  }),
  maxBodyMb: define({
    flag: '--max-body-mb',
    variable: 'GW_MAX_BODY_MB',
    schema: wholeNumber({ from: 1, to: 1024 }),
    fallback: 64,
    unit: 'MiB',
    description: 'maximum size of a request body; larger ones get 413',
  }),
  maxInflightBodyMb: define({
    flag: '--max-inflight-body-mb',
    variable: 'GW_MAX_INFLIGHT_BODY_MB',
    schema: wholeNumber({ from: 1, to: 1_048_576 }),
    fallback: 512,
    unit: 'MiB',
    description: 'maximum size of all concurrent request bodies; beyond it, requests get 503',
  }),
  cacheMaxEntries: define({
    flag: '--cache-max-entries',
    variable: 'GW_CACHE_MAX_ENTRIES',
    schema: wholeNumber({ from: 0, to: 10_000_000 }),
    fallback: 4096,
    description: 'maximum number of cached answers; 0 turns the cache off',
  }),
  cacheMaxBytes: define({
    flag: '--cache-max-bytes',
    variable: 'GW_CACHE_MAX_BYTES',
    schema: wholeNumber({ from: 0, to: 1_099_511_627_776 }),
    fallback: 67_108_864,
    unit: 'bytes',
    description: 'maximum memory for cached answers',
  }),
  engineScrapeInterval: define({
    flag: '--engine-scrape-interval',
    variable: 'GW_ENGINE_SCRAPE_INTERVAL',
    schema: wholeNumber({ from: 0, to: 3600 }),
    fallback: 2,
    unit: 'seconds',
    description: 'time between reads of the metrics of engines; 0 turns them off',
  }),
  poolMaxIdle: define({
    flag: '--pool-max-idle',
    variable: 'GW_POOL_MAX_IDLE',
    schema: wholeNumber({ from: 1, to: 65_536 }),
    fallback: 256,
    description: 'maximum idle connections to one backend',
  }),
  connectionsPerAddress: define({
    flag: '--connections-per-address',
    variable: 'GW_CONNECTIONS_PER_ADDRESS',
    schema: wholeNumber({ from: 0, to: 1_000_000 }),
    fallback: connectionsPerAddressDefault,
    description:
      'maximum connections from one address to each listener, at most half of all; 0 is unlimited',
  }),
} as const;
