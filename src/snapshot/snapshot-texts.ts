// Writes a snapshot as JSON in parts, so that a large one is never in memory as one text, and other
// work can run between the parts.

import type { Snapshot } from './schema.ts';

/** Members or secrets in a part. */
const partSize = 1_000;

/** `more` has additional members of the stored form. */
export function* snapshotTexts(
  { config, secrets, ...rest }: Snapshot,
  more: Readonly<Record<string, unknown>>,
): Generator<string> {
  yield `${JSON.stringify({ ...rest, ...more }).slice(0, -1)},"config":`;
  const { settings, ...lists } = config;
  yield JSON.stringify({ settings }).slice(0, -1);
  for (const [name, members] of Object.entries(lists)) {
    yield `,${JSON.stringify(name)}:[`;
    yield* partsOf<unknown>(members, (member) => JSON.stringify(member));
    yield ']';
  }
  yield '},"secrets":{';
  const refs = Object.keys(secrets);
  yield* partsOf(refs, (ref) => `${JSON.stringify(ref)}:${JSON.stringify(secrets[ref])}`);
  yield '}}';
}

function* partsOf<Part>(parts: readonly Part[], textOf: (part: Part) => string): Generator<string> {
  for (let at = 0; at < parts.length; at += partSize) {
    const texts = parts.slice(at, at + partSize).map((part) => textOf(part));
    yield `${at === 0 ? '' : ','}${texts.join()}`;
  }
}
