// Makes the body of a whole snapshot, page by page, so that other work runs in between. Proxies that
// ask while one is made share the next one.

import { createYieldTurn, inSlices } from '../../lib/slices.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Steps } from '../../lib/steps.ts';
import { credentialRef, keyRef, secretsOn } from '../../snapshot/paged.ts';
import type { PagedSnapshot, Pages } from '../../snapshot/paged.ts';
import { toSendable } from './published.ts';
import type { Published, Sendable } from './published.ts';

export type Whole = Readonly<{ published: Published; sendable: Sendable }>;

export type Wholes = Readonly<{
  /** Makes the newest snapshot at the time of the call, or a later one. Null if there is none. */
  newest: () => Promise<Whole | null>;
  forget: () => void;
}>;

type Dependencies = Readonly<{ current: () => Published | null; monotonic: Clock }>;

type Making = { readonly published: Published; readonly whole: Promise<Whole>; isDone: boolean };

export function createWholes({ current, monotonic }: Dependencies): Wholes {
  let last: Making | null = null;
  let next: Promise<Whole | null> | null = null;

  const start = (): Promise<Whole | null> => {
    next = null;
    const published = current();
    if (published === null) return Promise.resolve(null);
    if (last?.published === published) return last.whole;
    const making = { published, whole: makeWhole(published, monotonic), isDone: false };
    last = making;
    const end = (isOutdated: boolean): void => {
      making.isDone = true;
      if (isOutdated && last === making) last = null;
    };
    making.whole.then(
      () => end(current() !== published),
      () => end(true),
    );
    return making.whole;
  };

  return {
    newest: () => {
      if (last === null || last.published === current()) return start();
      return (next ??= last.whole.then(start, start));
    },
    forget: () => {
      if (last?.isDone === true) last = null;
    },
  };
}

async function makeWhole(published: Published, monotonic: Clock): Promise<Whole> {
  const pieces: Buffer[] = [];
  await inSlices(createYieldTurn(monotonic), bodySteps(published.edition, pieces));
  return { published, sendable: toSendable(Buffer.concat(pieces)) };
}

type Write = (text: string) => void;

/** Each step writes one page. */
function* bodySteps(snapshot: PagedSnapshot, pieces: Buffer[]): Steps<void> {
  const { schema, version, config_hash, log, lists, settings, classifier, overlay } = snapshot;
  const head = { schema, version, config_hash, log };
  const write: Write = (text) => void pieces.push(Buffer.from(text));
  write(`${JSON.stringify(head).slice(0, -1)},"config":{`);
  for (const [name, pages] of Object.entries(lists)) {
    write(`${JSON.stringify(name)}:[`);
    yield* pageSteps(memberTexts(pages), write);
    write('],');
  }
  write(`"settings":${JSON.stringify(settings)}},"secrets":{`);
  yield* pageSteps(secretTexts(snapshot), write);
  write(`},"classifier":${JSON.stringify(classifier)},"overlay":${JSON.stringify(overlay)}}`);
}

function* pageSteps(pages: Iterable<string>, write: Write): Steps<void> {
  let separator = '';
  for (const page of pages) {
    if (page !== '') write(separator + page);
    if (page !== '') separator = ',';
    yield;
  }
}

function* memberTexts(pages: Pages<unknown>): Iterable<string> {
  for (const page of pages.values()) yield page.map((one) => JSON.stringify(one)).join();
}

function* secretTexts({ lists, texts }: PagedSnapshot): Iterable<string> {
  for (const number of lists.api_keys.keys()) {
    yield joined(secretsOn(number, lists.api_keys, texts.api_keys, keyRef));
  }
  for (const number of lists.providers.keys()) {
    yield joined(secretsOn(number, lists.providers, texts.providers, credentialRef));
  }
}

const joined = (secrets: readonly (readonly [ref: string, text: string])[]): string =>
  secrets.map(([ref, text]) => `${JSON.stringify(ref)}:${JSON.stringify(text)}`).join();
