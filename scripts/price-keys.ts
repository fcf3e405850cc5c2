// Reads the price list of LiteLLM's current package and prints which of its keys gw uses. Fails if
// one is unknown. Needs Python with pip, or the path of a list as argument.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { readCataloguePrices } from '../src/control/prices/price-list.ts';
import { readCatalogueEntry } from '../src/snapshot/prices/catalogue-entry.ts';
import { priceKeyIn } from '../src/snapshot/prices/catalogue-keys.ts';
import type { UnusedGroup } from '../src/snapshot/prices/catalogue-keys.ts';

const [given] = process.argv.slice(2);
const { name, text } =
  given === undefined ? fromPackage() : { name: given, text: readFileSync(given, 'utf8') };
const list = readCataloguePrices(text);
if (list === null) throw new Error(`${name} is not a price list`);

const priced = [...list.entries.values()].flatMap(({ price }) => (price === null ? [] : [price]));
const entries = entriesIn(text);
const used = new Set(entries.flatMap(usedKeys));
const headings: Readonly<Record<UnusedGroup, string>> = {
  unknown: 'not understood',
  not_counted: 'prices that no answer lets gw count',
  no_price: 'no price of their own',
  not_relayed: 'of endpoints that gw does not relay',
};
const unused = Map.groupBy(countUnused(), ({ group }) => group);
const groups = Object.entries(headings).map(([group, heading]) => ({
  heading,
  keys: [...unused].find(([own]) => own === group)?.[1] ?? [],
}));
const lines = [
  `${name}: ${entries.length} models`,
  `${priced.length} with a price that gw can use`,
  `${priced.filter(({ priceCard }) => priceCard !== null).length} of these with a price card`,
  `${list.nonsense} with an invalid price`,
  `${used.size} keys read`,
  ...groups.map(({ heading, keys }) => `${keys.length} keys not used: ${heading}`),
  ...groups.flatMap(({ heading, keys }) => [`\n${heading}`, keys.map(lineOf).join('\n')]),
];
process.stdout.write(`${lines.join('\n')}\n`);
if (unused.has('unknown')) process.exitCode = 1;

function lineOf({ key, reason, models }: Unused): string {
  return `${models}\t${key}\t${reason ?? 'UNKNOWN'}`;
}

function fromPackage(): Readonly<{ name: string; text: string }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gw-prices-'));
  try {
    const pip = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', folder, 'litellm'];
    execFileSync('python3', pip, { stdio: ['ignore', 'inherit', 'inherit'], timeout: 300_000 });
    const wheel = readdirSync(folder).find((file) => file.endsWith('.whl')) ?? '';
    execFileSync('python3', ['-m', 'zipfile', '-e', path.join(folder, wheel), folder]);
    const file = path.join(folder, 'litellm', 'model_prices_and_context_window_backup.json');
    return { name: wheel.split('-').slice(0, 2).join(' '), text: readFileSync(file, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

type Entry = Readonly<Record<string, unknown>>;

/** Without the entry that describes the format. */
function entriesIn(listText: string): readonly Entry[] {
  const parsed: Record<string, Entry> = JSON.parse(listText);
  return Object.entries(parsed).flatMap(([model, entry]) =>
    model === 'sample_spec' ? [] : [entry],
  );
}

function usedKeys(entry: Entry): readonly string[] {
  const isUsed = (key: string): boolean => (priceKeyIn(entry, key)?.kind ?? 'unused') !== 'unused';
  return Object.keys(entry).filter(isUsed);
}

type Unused = { key: string; group: UnusedGroup; reason: string | null; models: number };

/** The keys that no entry uses, and those that are unused in some entries for a reason of their own. */
function countUnused(): readonly Unused[] {
  const counted = new Map<string, Unused>();
  for (const entry of entries) {
    for (const { key, reason } of readCatalogueEntry(entry).unused) {
      const meaning = priceKeyIn(entry, key);
      // Only a part of another price is not used, such as the price of a large search.
      const group = meaning?.kind === 'unused' ? meaning.group : 'not_counted';
      const one = counted.get(`${key} ${group}`) ?? { key, group, reason, models: 0 };
      counted.set(`${key} ${group}`, { ...one, models: one.models + 1 });
    }
  }
  return [...counted.values()].toSorted((a, b) => b.models - a.models);
}
