// Lists the plain fields of a provider model and of its backend.

import type { Fields, SetField } from './field.ts';

const perMillion =
  'US dollars, or the currency of “More prices”, per million tokens. Empty: unpriced';

/** Money per million tokens. In model_list it is per token and called `cost`. */
export const priceFields = {
  input_price_per_mtok: {
    type: 'price',
    event: 'ModelPriced',
    change: 'prices',
    cost: 'input_cost_per_token',
    label: 'Input price',
    column: 'Input /M',
    hint: perMillion,
  },
  output_price_per_mtok: {
    type: 'price',
    event: 'ModelPriced',
    change: 'prices',
    cost: 'output_cost_per_token',
    label: 'Output price',
    column: 'Output /M',
    hint: perMillion,
  },
} as const satisfies Record<string, SetField & Readonly<{ cost: string }>>;

/** In model_list these are members of model_info. */
export const informationFields = {
  price_card: {
    type: 'rates',
    event: 'ModelPriced',
    change: 'prices',
    added: true,
    label: 'More prices',
    column: 'More prices',
    hint: 'Prices of cache, audio and reasoning tokens, of requests and tools, and tiers. Empty: all tokens cost the two prices above',
    help: 'Prices in addition to the two base prices, in micro-units. Null bills all tokens at the base prices.',
    unset: 'none',
  },
  cache_ttl_seconds: {
    type: 'cacheSeconds',
    event: 'ModelCacheTtlSet',
    label: 'Response cache lifetime',
    column: 'Cache',
    hint: 'Seconds. Leave empty to disable caching',
    unit: 's',
    unset: 'off',
  },
  context_length: {
    type: 'tokens',
    event: 'ModelContextLengthSet',
    learned: true,
    label: 'Context length',
    column: 'Context',
    hint: 'Tokens. Empty: not known',
    unit: 'tokens',
    unset: 'not known',
  },
  drop_unsupported_tools: {
    type: 'flag',
    event: 'ModelDropUnsupportedToolsSet',
    added: true,
    label: 'Drop unsupported tools',
    column: 'Drops tools',
    hint: 'Leave out tools that only another vendor runs, such as web_search. Empty: refuse them with 501',
    help: 'Leaves out tools of /v1/responses and /v1/messages that the backend cannot run, such as web_search. Otherwise they are 501.',
    unset: 'no',
  },
} as const satisfies Record<string, SetField>;

/** In the field order of requests, responses, events and the UI. Add new fields at the end. */
export const modelFields = { ...priceFields, ...informationFields };

/**
 * Flow control (specification, "Flow-control fields on a backend"). It is kept when the model's
 * backend is detached.
 */
export const flowFields = {
  admission_max_concurrent: {
    type: 'requests',
    label: 'Concurrent requests',
    help: 'The maximum number of concurrent requests per proxy. Null turns flow control off.',
    hint: 'Per replica. Empty: no limit. Start with the capacity of the engine divided by the number of replicas.',
    unset: 'unlimited',
  },
  admission_high_water: {
    type: 'requests',
    label: 'Engine queue limit',
    help: 'The queue length of the engine at which the ceiling is halved.',
    hint: 'Above this length of the engine’s own queue, gw halves the limit.',
    default: 4,
  },
  admission_max_queued: {
    type: 'requestsOrNone',
    label: 'Max queue length',
    help: 'The maximum number of requests that wait at the proxy.',
    hint: 'Requests that wait at the gateway.',
    default: 64,
  },
  admission_max_wait_seconds: {
    type: 'secondsOrNone',
    label: 'Max queue time',
    help: 'The maximum time in seconds that a request waits for a slot.',
    hint: 'Seconds. Requests that wait longer get status 503.',
    unit: 's',
    default: 30,
  },
  upstream_timeout_seconds: {
    type: 'seconds',
    label: 'Timeout',
    hint: 'Seconds. Leave empty to use the timeout of the gateway.',
    unit: 's',
    unset: 'gateway default',
  },
} as const satisfies Fields;

/** All fields of a backend except its provider and upstream name. */
export const backendFields = {
  default_max_tokens: {
    type: 'outputTokens',
    label: 'Default max output tokens',
    hint: 'Sent to protocols that require a maximum when the caller sets none.',
    unit: 'tokens',
    unset: 'not set',
  },
  ...flowFields,
} as const satisfies Fields;
