// Generates two weeks of requests: many by day and few by night, some slow, some refused, some
// without a price.

import type { z } from 'zod';

import type { usageEvent } from '../../../src/usage/usage-event.ts';
import { frontendModels, models } from './company.ts';

type UsageEvent = z.input<typeof usageEvent>;

type Range = Readonly<{ sinceMs: number; untilMs: number }>;

const stepMs = 4 * 60_000;

/** A fixed sequence between 0 and 1 (mulberry32), so that each run has the same data. */
function createChance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const hourMs = 3_600_000;

export function usageOf({ sinceMs, untilMs }: Range): UsageEvent[] {
  const chance = createChance(7);
  const events: UsageEvent[] = [];
  for (let at = sinceMs; at < untilMs; at += stepMs) {
    const hour = Math.floor((at / hourMs) % 24);
    const busy = 0.15 + 0.85 * Math.max(0, Math.sin(((hour - 6) / 14) * Math.PI));
    if (chance() < busy) events.push(requestAt(at, events.length, chance));
  }
  return events;
}

function requestAt(at: number, number: number, chance: () => number): UsageEvent {
  const pick = (items: readonly unknown[]): number => Math.floor(chance() ** 2 * items.length);
  const modelAt = pick(models);
  const frontendAt = pick(frontendModels);
  const model = models[modelAt];
  const luck = chance();
  const status = luck < 0.012 ? 502 : luck < 0.03 ? 429 : luck < 0.04 ? 400 : 200;
  const ok = status === 200;
  const slow = 150 + 2_500 * chance() ** 4 + (luck > 0.99 ? 9_000 : 0);
  const prompt_tokens = ok ? Math.ceil(200 + 4_000 * chance() ** 2) : 0;
  return {
    id: `01JSEED${String(number).padStart(19, '0')}`,
    at: new Date(at).toISOString(),
    principal_id: 2 + Math.floor(chance() ** 2 * 300),
    key_id: null,
    model_id: modelAt + 1,
    model: model?.name ?? null,
    provider_id: (model?.provider ?? 0) + 1,
    virtual_model: frontendModels[frontendAt]?.name ?? '',
    path: '/v1/chat/completions',
    snapshot_version: 1,
    route: 'default',
    tag: null,
    stream: luck > 0.5,
    status,
    refusal: null,
    prompt_tokens,
    ...cacheReads(modelAt, prompt_tokens),
    completion_tokens: ok ? Math.ceil(50 + 900 * chance()) : 0,
    usage_reported: ok,
    reported_cost_micros: null,
    cached: luck > 0.9 && luck < 0.94,
    duration_ms: Math.ceil(slow),
    ttft_ms: ok ? Math.ceil(slow / 4) : null,
    attempts: 1,
    prompt_estimate: 900,
    max_tokens: null,
  };
}

/** Two of three models report what was read from the provider's cache. */
const cacheReads = (modelAt: number, promptTokens: number) =>
  modelAt % 3 === 0 ? {} : { cache_read_tokens: Math.floor((promptTokens * (modelAt % 10)) / 12) };
