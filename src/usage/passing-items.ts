// Counts items of an answer that its usage does not count, such as generated images, while the
// answer passes. Nothing is parsed: the bytes are searched for the names of items.

import type { UsageCounts } from './counts.ts';

/** The items to count: those of a Responses answer, of an answer of images, or images in a chat. */
export type ItemKind = 'response' | 'images' | 'chat_images';

type Items = { images: number; calls: Map<string, number>; isComplete: boolean };

type Mark = Readonly<{
  name: string;
  /** These must come before and after the name. Quotes in texts of a model are escaped. */
  before: RegExp;
  after: RegExp;
  /** `tool` is the group of what came before. */
  count: (items: Items, tool: string) => void;
}>;

/** The bytes before and after a name that decide whether it counts. */
const beforeMax = 64;
const afterMax = 192;

const anything = /^/;

/** The tools that the provider runs and bills by the call. Steps that open a page are free. */
const call: Mark = {
  name: '_call"',
  before: /"type":\s*"(web_search|file_search|code_interpreter|image_generation)$/,
  after: /^(?![^{}]*(?:"status":\s*"failed"|"action":\s*\{\s*"type":\s*"(?!search)))/,
  count(items, tool) {
    // All calls of an answer share a container, which is what costs.
    const before = tool === 'code_interpreter' ? 0 : (items.calls.get(tool) ?? 0);
    items.calls.set(tool, before + 1);
    if (tool === 'image_generation') items.images++;
  },
};

/** The last event of a stream has all items of the answer, so that earlier ones do not count. */
const lastEvent = (name: string): Mark => ({
  name,
  before: /(?:^|\n)(?:event: ?|data: ?\{"type": ?")$/,
  after: anything,
  count: (items) => Object.assign(items, { images: 0, calls: new Map(), isComplete: true }),
});

const image = (name: string, before: RegExp, after: RegExp): Mark => ({
  name,
  before,
  after,
  count(items) {
    items.images++;
  },
});

const streamedItems = [lastEvent('response.completed'), lastEvent('response.incomplete'), call];
const chatImage = image('"image_url"', anything, /^\s*:\s*\{/);

const wholeMarks: Readonly<Record<ItemKind, readonly Mark[]>> = {
  response: [call],
  images: [image('"b64_json"', anything, /^\s*:\s*"/), image('"url"', anything, /^\s*:\s*"/)],
  chat_images: [chatImage],
};
const streamMarks: Readonly<Record<ItemKind, readonly Mark[]>> = {
  response: streamedItems,
  images: [image('.completed"', /"type":\s*"image_(?:generation|edit)$/, anything)],
  chat_images: [chatImage],
};

export class PassingItems {
  readonly #marks: readonly Mark[];
  readonly #items: Items;
  /** The last bytes that arrived, of which the first `#searched` were searched. */
  #kept: Buffer = Buffer.alloc(0);
  #searched = 0;

  constructor(kind: ItemKind, isStream: boolean) {
    this.#marks = (isStream ? streamMarks : wholeMarks)[kind];
    this.#items = { images: 0, calls: new Map(), isComplete: !isStream || kind !== 'response' };
  }

  push(chunk: Buffer): void {
    const bytes = this.#kept.length === 0 ? chunk : Buffer.concat([this.#kept, chunk]);
    const end = Math.max(this.#searched, bytes.length - afterMax);
    this.#search(bytes, end);
    const from = Math.max(0, end - beforeMax);
    // A slice would keep the whole chunk in memory.
    this.#kept = Buffer.from(bytes.subarray(from));
    this.#searched = end - from;
  }

  /** Call it once, after the last chunk. Null if nothing was counted. */
  counts(): Pick<UsageCounts, 'units' | 'serverToolCalls'> | null {
    this.#search(this.#kept, this.#kept.length);
    const { images, calls, isComplete } = this.#items;
    if (!isComplete || (images === 0 && calls.size === 0)) return null;
    return {
      units: images === 0 ? null : { output_images: images },
      serverToolCalls: calls.size === 0 ? null : Object.fromEntries(calls),
    };
  }

  /** Counts the names that begin before `end`, in their order. */
  #search(bytes: Buffer, end: number): void {
    const places = this.#marks.map(({ name }) => placeOf(bytes, name, this.#searched));
    for (;;) {
      const at = Math.min(...places);
      const next = places.indexOf(at);
      const mark = this.#marks[next];
      if (at >= end || mark === undefined) return;
      const from = at + mark.name.length;
      places[next] = placeOf(bytes, mark.name, from);
      const found = mark.before.exec(bytes.toString('latin1', Math.max(0, at - beforeMax), at));
      if (found === null || !mark.after.test(bytes.toString('latin1', from, from + afterMax))) {
        continue;
      }
      mark.count(this.#items, found[1] ?? '');
    }
  }
}

/** Infinity if the name does not follow. */
function placeOf(bytes: Buffer, name: string, from: number): number {
  const at = bytes.indexOf(name, from, 'latin1');
  return at === -1 ? Infinity : at;
}
