// Counts items of an answer that its usage does not count, such as calls of tools, while the answer
// passes. Only places count where the provider writes: answers also repeat what a client sent.

import type { UsageCounts } from '../../usage/counts.ts';
import { PassingEvents } from './passing-events.ts';
import { PassingJson } from './passing-json.ts';
import type { Place, PlaceVisitor } from './passing-json.ts';

/** The items to count: those of a Responses answer, of an answer of images, or images in a chat. */
export type ItemKind = 'response' | 'images' | 'chat_images';

type Items = { images: number; calls: Map<string, number> };

/** Texts of the answer or event that is passing, by the name of their place. */
type Texts = Map<string, string | null>;

type Counted = {
  /** The items of the answer or event that is passing. */
  passing: Items;
  /** Those of all events so far. */
  readonly streamed: Items;
  /** Null until the answer is complete. */
  total: Items | null;
};

type Reading = Readonly<{
  root: Place;
  /** The types of events that matter. */
  events?: RegExp;
  /** Called when an object or array ends. `texts` has those since it began. */
  end: (counted: Counted, name: string, texts: Texts) => void;
}>;

const place = (name: string): Place => ({ name });
const object = (name: string, members: Readonly<Record<string, Place>>): Place => ({
  name,
  members,
});
const list = (name: string, entries: Place): Place => ({ name, entries });

const item = object('item', {
  type: place('item type'),
  status: place('status'),
  action: object('action', { type: place('action type') }),
});
const output = list('output', item);

const response: Reading = {
  root: object('answer', { output }),
  end(counted, name, texts) {
    if (name === 'item') countCall(counted.passing, texts);
    else if (name === 'answer') counted.total = counted.passing;
  },
};

/** Each item has an event when it ends. The last event has them all, or none at some servers. */
const responseStream: Reading = {
  root: object('event', {
    type: place('event type'),
    item,
    response: object('response', { output }),
  }),
  events: /^response\.(?:output_item\.done|completed|incomplete|failed)$/,
  end(counted, name, texts) {
    const { passing, streamed } = counted;
    if (name === 'item') countCall(passing, texts);
    if (name !== 'event' || !texts.has('event type')) return;
    if (texts.get('event type') === 'response.output_item.done') add(streamed, passing);
    else counted.total = isEmpty(passing) ? streamed : passing;
  },
};

const images: Reading = {
  root: object('answer', {
    data: list('data', object('image', { b64_json: place('bytes'), url: place('url') })),
  }),
  end(counted, name, texts) {
    if (name === 'image' && (texts.has('bytes') || texts.has('url'))) counted.passing.images++;
    else if (name === 'answer') counted.total = counted.passing;
  },
};

const imageStream: Reading = {
  root: object('event', { type: place('event type') }),
  events: /^image_(?:generation|edit)\.completed$/,
  end(counted, _name, texts) {
    if (texts.has('event type')) counted.streamed.images++;
    counted.total = counted.streamed;
  },
};

const chatImages = list('images', object('image', { image_url: object('image_url', {}) }));
const written = object('message', { images: chatImages, content: chatImages });
const chat: Reading = {
  root: object('answer', {
    choices: list('choices', object('choice', { message: written, delta: written })),
  }),
  end(counted, name) {
    if (name === 'image_url') counted.passing.images++;
    if (name !== 'answer') return;
    add(counted.streamed, counted.passing);
    counted.total = counted.streamed;
  },
};

const wholes: Readonly<Record<ItemKind, Reading>> = { response, images, chat_images: chat };
const streams: Readonly<Record<ItemKind, Reading>> = {
  response: responseStream,
  images: imageStream,
  chat_images: chat,
};

const none = (): Items => ({ images: 0, calls: new Map() });

const isEmpty = ({ images, calls }: Items): boolean => images === 0 && calls.size === 0;

function add(items: Items, { images, calls }: Items): void {
  items.images += images;
  for (const [tool, count] of calls) addCalls(items, tool, count);
}

/** All calls of an answer share the container of a code interpreter, which is what costs. */
const addCalls = ({ calls }: Items, tool: string, count: number): unknown =>
  calls.set(tool, tool === 'code_interpreter' ? 1 : (calls.get(tool) ?? 0) + count);

/** The tools that the provider runs and bills by the call. Steps that open a page are free. */
function countCall(items: Items, texts: Texts): void {
  const [, tool] = toolCall.exec(texts.get('item type') ?? '') ?? [];
  const isFree = (texts.get('action type') ?? 'search') !== 'search';
  if (tool === undefined || isFree || texts.get('status') === 'failed') return;
  addCalls(items, tool, 1);
  if (tool === 'image_generation') items.images++;
}

const toolCall = /^(web_search|file_search|code_interpreter|image_generation)_call$/;

/** The texts inside of these places, which belong to the place that began last. */
const inside: Readonly<Record<string, readonly string[]>> = {
  item: ['item type', 'status', 'action type'],
  action: ['action type'],
  image: ['bytes', 'url'],
};

export class PassingItems {
  readonly #counted: Counted = { passing: none(), total: null, streamed: none() };
  readonly #json: PassingJson;
  readonly #events: PassingEvents | null;

  constructor(kind: ItemKind, isStream: boolean) {
    const { root, events, end } = (isStream ? streams : wholes)[kind];
    const texts: Texts = new Map();
    const counted = this.#counted;
    const visitor: PlaceVisitor = {
      begin(name) {
        texts.delete(name);
        for (const inner of inside[name] ?? []) texts.delete(inner);
        if (lists.has(name)) counted.passing = none();
      },
      text: (name, text) => {
        texts.set(name, text);
        if (name === 'event type' && events?.test(text ?? '') === false) this.#json.ignore();
      },
      end: (name) => end(counted, name, texts),
    };
    this.#json = new PassingJson(root, visitor);
    const begin = (): void => {
      texts.clear();
      if (!isEmpty(counted.passing)) counted.passing = none();
    };
    this.#events = isStream ? new PassingEvents(this.#json, begin) : null;
  }

  push(chunk: Buffer): void {
    if (this.#events === null) this.#json.push(chunk, 0, chunk.length);
    else this.#events.push(chunk);
  }

  /** Call it once, after the last chunk. Null if nothing was counted, or if the answer was cut off. */
  counts(): Pick<UsageCounts, 'units' | 'serverToolCalls'> | null {
    const { total } = this.#counted;
    if (total === null || isEmpty(total)) return null;
    const { images, calls } = total;
    return {
      units: images === 0 ? null : { output_images: images },
      serverToolCalls: calls.size === 0 ? null : Object.fromEntries(calls),
    };
  }
}

/** A list that is repeated replaces the earlier one. */
const lists: ReadonlySet<string> = new Set(['output', 'data']);
