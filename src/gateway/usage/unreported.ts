// Counts what a request used besides what its answer reports: generated images, calls of tools that
// the provider ran, and the characters of a text that was spoken.

import { isObject, parseJson, textOf } from '../../protocols/json.ts';
import { commonProtocol } from '../../protocols/facts.ts';
import type { ItemKind } from '../../usage/passing-items.ts';
import { PassingItems } from '../../usage/passing-items.ts';
import { totalsOnly } from '../../usage/counts.ts';
import type { UsageCounts, UsageReport } from '../../usage/counts.ts';
import type { Step } from '../plan.ts';
import type { Walk } from '../walk.ts';

/** Vendors accept less. Longer requests are not parsed. */
const spokenBytesMax = 256 * 1024;

/** Null if there is nothing to count. `isStream` is true for an event stream. */
export function itemsIn({ proxied }: Walk, step: Step, isStream: boolean): PassingItems | null {
  const kind = itemKind(proxied.unreported, step);
  return kind === null ? null : new PassingItems(kind, isStream);
}

function itemKind(unreported: Walk['proxied']['unreported'], step: Step): ItemKind | null {
  // A translation counts by itself.
  if (step.backend.backend.protocol !== commonProtocol) return null;
  switch (unreported) {
    case 'calls':
      return 'response';
    case 'images':
      return 'images';
    case 'citations':
      // Most chats have no images, and most that have report them as tokens.
      return step.model.model.prices.at(-1)?.card?.per_output_image === undefined
        ? null
        : 'chat_images';
    case 'characters':
    case null:
      return null;
  }
}

type Passed = Readonly<{ report: UsageReport | null; items: PassingItems | null; tail: string }>;

/** Adds what was counted to what the answer reported, which has precedence. */
export function withUnreported(walk: Walk, { report, items, tail }: Passed): UsageReport | null {
  return added(added(report, items?.counts() ?? null), countsOf(walk, tail));
}

/** An answer that reports nothing else may have calls, but then nothing is known of its tokens. */
function added(report: UsageReport | null, more: Counts | null): UsageReport | null {
  if (more === null || (report === null && more.units === null)) return report;
  const counted = report ?? nothing;
  return {
    ...counted,
    serverToolCalls: counted.serverToolCalls ?? more.serverToolCalls,
    units: counted.units ?? more.units,
  };
}

const nothing: UsageReport = {
  ...totalsOnly({ promptTokens: 0, completionTokens: 0 }),
  costMicros: null,
  isClamped: false,
};

type Counts = Pick<UsageCounts, 'units' | 'serverToolCalls'>;

function countsOf({ proxied, body, peeked }: Walk, tail: string): Counts | null {
  switch (proxied.unreported) {
    case 'citations':
      // A chat that cites the web has searched at least once.
      return tail.includes('"url_citation"')
        ? { units: null, serverToolCalls: { web_search: 1 } }
        : null;
    case 'characters':
      return peeked.format === 'json' ? spoken(body) : null;
    case 'calls':
    case 'images':
    case null:
      return null;
  }
}

/** Vendors count the characters of the text, not its bytes. */
function spoken(body: Buffer): Counts | null {
  if (body.length > spokenBytesMax) return null;
  const request = parseJson(body.toString('utf8'));
  const text = isObject(request) ? textOf(request, 'input') : null;
  const characters = text === null ? 0 : Array.from(text).length;
  return characters === 0
    ? null
    : { units: { input_characters: characters }, serverToolCalls: null };
}
