// The configurations for gw. File mode has several models and backends, and keys that may invoke some of them. Http mode
// has all features on that a request can meet without being refused.

import { stringify } from 'yaml';

const otherNames = Array.from({ length: 16 }, (_, index) => `other-${index}`);
const keyCount = 16;

export const keys: readonly string[] = Array.from(
  { length: keyCount },
  (_, index) => `gw-bench-key-${String(index).padStart(2, '0')}-0123456789abcdef`,
);

/** The requested model names, by kind of answer. */
export const modelNames = {
  json: 'bench-chat',
  sse: 'bench-stream',
  paced: 'bench-paced',
  cached: 'bench-cached',
} as const;
const kinds = ['json', 'sse', 'paced', 'cached'] as const;

const cacheSeconds = 3600;

const deploymentsAt =
  (upstreamPort: number) => (name: string, kind: (typeof kinds)[number], index: number) => ({
    model_name: name,
    litellm_params: {
      model: `openai/upstream-${name}-${index}`,
      api_base: `http://127.0.0.1:${upstreamPort}/${kind}/v1`,
      api_key: `upstream-key-${index}`,
    },
    model_info: {
      input_cost_per_token: 0.0000005,
      output_cost_per_token: 0.0000015,
      context_length: 128_000,
      ...(kind === 'cached' ? { cache_ttl_seconds: cacheSeconds } : {}),
    },
  });

/** For File mode: each requested model has two backends. */
export function configFile(upstreamPort: number): string {
  const deployment = deploymentsAt(upstreamPort);
  const others = otherNames.map((name) => deployment(name, 'json', 0));
  const asked = kinds.flatMap((kind) =>
    [0, 1].map((index) => deployment(modelNames[kind], kind, index)),
  );
  return stringify({
    model_list: [...others, ...asked],
    auth: {
      keys: keys.map((key, index) => ({
        key,
        name: `key-${index}`,
        models: [`other-${index}`, ...kinds.map((kind) => modelNames[kind])],
      })),
    },
  });
}

const membersOf = (kind: string): readonly string[] => [`${kind}-a`, `${kind}-b`];

/**
 * Each requested model is a frontend model with eight rules that do not match, two of them on headers. It leads to a
 * pool of two and a fallback. Each key has rate limits and budgets that are not reached.
 */
export function everythingOn(upstreamPort: number): string {
  const deployment = deploymentsAt(upstreamPort);
  const others = [...otherNames, 'fallback'].map((name) => deployment(name, 'json', 0));
  const members = kinds.flatMap((kind) => membersOf(kind).map((name) => deployment(name, kind, 0)));
  const targets = ['fallback'];
  return stringify({
    model_list: [...others, ...members],
    auth: {
      keys: keys.map((key, index) => ({
        key,
        name: `key-${index}`,
        models: ['*'],
        limits: { requests_per_min: 1e8, tokens_per_min: 1e12 },
        budget: { tokens_total: 1e15, cost_total_micros: 1e15, window: 'monthly' },
      })),
    },
    gw: {
      fallback_model: 'fallback',
      roles: [
        { name: 'readers', permissions: [{ verb: 'model:invoke', resource: 'model/fallback' }] },
      ],
      principals: [{ name: 'alice', roles: ['readers'], keys: [{ key: 'gw-bench-key-of-alice' }] }],
      pools: kinds.map((kind) => ({
        name: `pool-${kind}`,
        policy: 'least-loaded',
        members: membersOf(kind),
      })),
      frontend_models: kinds.map((kind) => ({
        name: modelNames[kind],
        rules: [
          { principals: ['alice'], targets },
          { roles: ['readers'], targets },
          { headers: { 'x-team': 'batch' }, targets },
          { headers: { 'x-tier': 'gold' }, targets },
          { min_prompt_tokens: 100_000, targets },
          { min_max_tokens: 8000, targets },
          { min_budget_used_percent: 80, targets },
          { after: '03:00', before: '03:01', targets },
        ],
        default_targets: [`pool-${kind}`, 'fallback'],
      })),
    },
  });
}
