// Counts what a request used besides what its answer reports: generated images, calls of tools that
// the provider ran, and the characters of a text that was spoken.

import { isObject, objectOf, parseJson, textOf } from '../../protocols/json.ts';
import type { JsonObject } from '../../protocols/json.ts';
import { commonProtocol } from '../../protocols/facts.ts';
import type { ItemKind } from './passing-items.ts';
import { PassingItems } from './passing-items.ts';
import { totalsOnly } from '../../usage/counts.ts';
import { isInList } from '../../usage/scan-json.ts';
import type { UsageCounts, UsageReport } from '../../usage/counts.ts';
import type { Step } from '../plan.ts';
import type { Walk } from '../walk.ts';

/** Vendors accept less. Longer requests are not parsed. */
const requestBytesMax = 256 * 1024;

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
  const counted = items?.counts() ?? null;
  return added(added(report, withPixels(walk, counted)), countsOf(walk, tail));
}

/** An answer that reports nothing else may have calls, but then nothing is known of its tokens. */
function added(report: UsageReport | null, more: Counts | null): UsageReport | null {
  if (more === null || (report === null && more.units === null)) return report;
  const counted = report ?? nothing;
  return {
    ...counted,
    serverToolCalls: counted.serverToolCalls ?? more.serverToolCalls,
    units: more.units === null ? counted.units : { ...more.units, ...counted.units },
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
      return isCiting(tail) ? { units: null, serverToolCalls: { [searchIn(body)]: 1 } } : null;
    case 'characters':
      return peeked.format === 'json' ? spoken(body) : null;
    case 'calls':
    case 'images':
    case null:
      return null;
  }
}

const citation = '"url_citation"';

/** A client can choose the members of other objects, such as metadata. */
function isCiting(tail: string): boolean {
  for (let at = tail.indexOf(citation); at !== -1; at = tail.indexOf(citation, at + 1)) {
    if (isInList(tail, at, '"annotations"')) return true;
  }
  return false;
}

/** Searches cost by the size of their context, which only the request names. */
function searchIn(body: Buffer): string {
  const options = objectOf(requestIn(body) ?? {}, 'web_search_options');
  const size = textOf(options ?? {}, 'search_context_size');
  return searchSizes.has(size ?? '') ? `web_search_${size}` : 'web_search';
}

const searchSizes: ReadonlySet<string> = new Set(['low', 'medium', 'high']);

/** Images are counted in pixels too, if the request names their size. */
function withPixels({ proxied, body, peeked }: Walk, counts: Counts | null): Counts | null {
  const images = counts?.units?.['output_images'] ?? 0;
  if (counts === null || images === 0 || proxied.unreported !== 'images') return counts;
  const request = peeked.format === 'json' ? requestIn(body) : null;
  const [, width, height] = /^(\d{1,5})x(\d{1,5})$/.exec(textOf(request ?? {}, 'size') ?? '') ?? [];
  if (width === undefined || height === undefined) return counts;
  const pixels = images * Number(width) * Number(height);
  return { ...counts, units: { ...counts.units, output_pixels: pixels } };
}

function requestIn(body: Buffer): JsonObject | null {
  const request = body.length > requestBytesMax ? null : parseJson(body.toString('utf8'));
  return isObject(request) ? request : null;
}

/** Vendors count the characters of the text, not its bytes. */
function spoken(body: Buffer): Counts | null {
  const text = textOf(requestIn(body) ?? {}, 'input');
  const characters = text === null ? 0 : Array.from(text).length;
  return characters === 0
    ? null
    : { units: { input_characters: characters }, serverToolCalls: null };
}
