// Measures the choice of a route, and only that: `node bench/routing.ts [--quick]`. The rules are of all kinds. The
// last one decides, so that every rule is evaluated.

import { hashBytes } from '../src/routing/hash.ts';
import { idleView } from '../src/routing/idle-view.ts';
import type { LiveView, Load } from '../src/routing/load.ts';
import type { RouteInput, RoutedRequest } from '../src/routing/request.ts';
import { chooseRoute } from '../src/routing/route.ts';
import type { PoolPolicy } from '../src/lib/vocabulary.ts';
import { poolPolicy } from '../src/lib/vocabulary.ts';
import { routing } from '../test/harness/gateway/routing.ts';

const quick = process.argv.includes('--quick');
const rounds = quick ? 5 : 15;
const choices = quick ? 100_000 : 1_000_000;

/** Eight rules are a realistic number. Each fails by another condition. */
const kinds = [
  'max_prompt_tokens=10',
  'min_max_tokens=100000',
  'stream=true',
  'principals=[7,8] roles=[9]',
  'min_budget_used_percent=90',
  'headers.x-tier=gold',
  'after=03:00 before=03:01 days=[1]',
];

const rulesOf = (count: number): string =>
  [
    ...Array.from({ length: count - 1 }, (_, index) => {
      return `house: ${kinds[index % kinds.length] ?? ''} -> model-${index % 8}`;
    }),
    'house: -> last',
  ].join('\n');

const poolOf = (policy: PoolPolicy | null, count: number) => ({
  pools: {
    pool: {
      ...(policy === null ? {} : { policy }),
      members: Object.fromEntries(
        Array.from({ length: count }, (_, index) => [`model-${index}`, index + 1]),
      ),
    },
  },
});

const prompt = Buffer.alloc(2048, 'The quick brown fox jumps over the lazy dog. ');
let conversation = 0;
const headers = new Map([['x-tier', 'silver']]);
const request: RoutedRequest = {
  model: 'house',
  isStream: false,
  promptEstimate: 500,
  maxTokens: 200,
  promptClass: null,
  nowMs: Date.parse('2026-11-21T12:00:00Z'),
  header: (name) => headers.get(name),
  conversationKey: () => conversation++,
};

type Measured = Readonly<{ what: string; run: () => void }>;

const choosing = (
  what: string,
  rules: string,
  options: Parameters<typeof routing>[1] = {},
): Measured => {
  const { snapshot } = routing(rules, { keys: { key: {} }, ...options });
  const [caller] = snapshot.callers.values();
  if (caller === undefined) throw new Error('the bench has no caller');
  const asking: RouteInput = { caller, request, live: viewOf() };
  return { what, run: () => void chooseRoute(snapshot, asking) };
};

/** Like those of the gateway: states by position. */
function viewOf(): LiveView {
  const { affinity } = idleView();
  const idle: Load = { inFlight: 0, engine: null, latencyMs: 20, restsUntilMs: 0, coolsUntilMs: 0 };
  const backends = Array.from({ length: 32 }, () => [{ ...idle }]);
  const turn = { count: 0 };
  return {
    affinity,
    turnOf: () => turn,
    backendsOf: ({ index }) => backends[index] ?? [],
    windowOf: ({ contextLength }) => contextLength,
  };
}

const measured: readonly Measured[] = [
  choosing('8 rules', rulesOf(8)),
  choosing('64 rules', rulesOf(64)),
  choosing('no rule, one target', 'house: else last'),
  ...[null, ...poolPolicy.options].map((policy) =>
    choosing(`pool of 16, ${policy ?? 'by weight'}`, 'house: -> pool', poolOf(policy, 16)),
  ),
  { what: 'hash of 2,048 bytes', run: () => void hashBytes(prompt, 0, prompt.length) },
];

/** CPU time of a choice in nanoseconds, because other work may share the core. The measured functions take turns. */
const times = new Map<string, number[]>(measured.map(({ what }) => [what, []]));
for (let round = 0; round < rounds; round++) {
  for (const { what, run } of measured) {
    const start = process.cpuUsage();
    for (let choice = 0; choice < choices; choice++) run();
    const { user, system } = process.cpuUsage(start);
    times.get(what)?.push(((user + system) * 1000) / choices);
  }
}
for (const [what, own] of times) {
  const sorted = own.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const [least = 0] = sorted;
  console.log(
    `${what.padEnd(28)} ${(median / 1000).toFixed(3)} µs (least ${(least / 1000).toFixed(3)})`,
  );
}
