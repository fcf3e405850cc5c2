// The configuration for gw: several models, some with several backends, and keys that may invoke some of them, so
// that every step of a routing decision is measured.

import { stringify } from 'yaml';

const modelCount = 16;
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

export function configFile(upstreamPort: number): string {
  const deployment = (name: string, kind: string, index: number) => ({
    model_name: name,
    litellm_params: {
      model: `openai/upstream-${name}-${index}`,
      api_base: `http://127.0.0.1:${upstreamPort}/${kind}/v1`,
      api_key: `upstream-key-${index}`,
    },
    ...(kind === 'cached' ? { model_info: { cache_ttl_seconds: cacheSeconds } } : {}),
  });
  const others = Array.from({ length: modelCount }, (_, index) =>
    deployment(`other-${index}`, 'json', 0),
  );
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
