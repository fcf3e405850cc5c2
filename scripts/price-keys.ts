// Reads the price list of LiteLLM's current package and prints which of its keys gw uses. Fails if
// one is unknown. Needs Python with pip, or the path of a list as argument.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { readCataloguePrices, unusedPrices } from '../src/control/prices/price-list.ts';
import { priceKeyOf } from '../src/snapshot/prices/catalogue-keys.ts';

const [given] = process.argv.slice(2);
const { name, text } =
  given === undefined ? fromPackage() : { name: given, text: readFileSync(given, 'utf8') };
const list = readCataloguePrices(text);
if (list === null) throw new Error(`${name} is not a price list`);

const entries = [...list.entries.values()];
const priced = entries.flatMap(({ price }) => (price === null ? [] : [price]));
const { keys: unused, more } = unusedPrices(list.entries);
const lines = [
  `${name}: ${countOf(text)} models`,
  `${priced.length} with a price that gw can use`,
  `${priced.filter(({ priceCard }) => priceCard !== null).length} of these with a price card`,
  `${list.nonsense} with an invalid price`,
  `${usedKeys(text).size} keys used, ${unused.length + more} not used`,
  ...unused.map(({ key, models, reason }) => `${models}\t${key}\t${reason ?? 'UNKNOWN'}`),
];
process.stdout.write(`${lines.join('\n')}\n`);
if (unused.some(({ reason }) => reason === null)) process.exitCode = 1;

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

/** Without the entry that describes the format. */
function countOf(listText: string): number {
  return Object.keys(entriesIn(listText)).filter((model) => model !== 'sample_spec').length;
}

function usedKeys(listText: string): ReadonlySet<string> {
  const keys = Object.values(entriesIn(listText)).flatMap((entry) => Object.keys(entry));
  return new Set(keys.filter((key) => (priceKeyOf(key)?.kind ?? 'unused') !== 'unused'));
}

function entriesIn(listText: string): Readonly<Record<string, object>> {
  const parsed: Record<string, object> = JSON.parse(listText);
  return parsed;
}
