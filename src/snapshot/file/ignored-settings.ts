// Warns about settings of the common format that gw ignores, and names the setting that does the
// same.

import { blockAt, isAsked } from './blocks.ts';
import type { EntryList } from './entries.ts';
import { configFile, deployment } from './format.ts';
import { isUsedPrice } from './prices.ts';
import { ignoredBlocks, remedyOf } from './remedies.ts';
import type { Issue, Path, Source } from './source.ts';

const { litellm_params: parameters, model_info: information } = deployment.shape;

/** The settings that gw reads, by block. */
const blocks: Readonly<Record<string, readonly string[]>> = {
  router_settings: settingsOf(configFile.shape.router_settings),
  litellm_settings: settingsOf(configFile.shape.litellm_settings),
  general_settings: settingsOf(configFile.shape.general_settings),
  auth: settingsOf(configFile.shape.auth),
};

type Shaped = Readonly<{ shape: Readonly<Record<string, unknown>> }>;
type Optional<Inner> = Readonly<{ unwrap: () => Inner }>;

function settingsOf(schema: Optional<Optional<Shaped>>): readonly string[] {
  return Object.keys(schema.unwrap().unwrap().shape);
}

const read = {
  entry: Object.keys(deployment.shape),
  litellm_params: Object.keys(parameters.shape),
  model_info: Object.keys(information.unwrap().unwrap().shape),
};

/** Skips entries at `unserved` positions, which are not served at all. */
export function ignoredSettings(source: Source, unserved: EntryList['unserved']): readonly Issue[] {
  const { tree } = source;
  const top = askedIn(blockAt(tree, []), Object.keys(configFile.shape));
  const places = [
    ...ignoredInEntries(tree, unserved),
    ...Object.entries(blocks).flatMap(([block, known]) =>
      askedIn(blockAt(tree, [block]), known).map((key) => [[block, key]]),
    ),
    ...top.filter((key) => !/^[._]|^x-/.test(key)).map((key) => [[key]]),
  ];
  return places.map((paths) => warningOf(source, paths));
}

/** Grouped by setting: files often repeat one in many entries, which is one warning. */
function ignoredInEntries(
  tree: unknown,
  unserved: EntryList['unserved'],
): readonly (readonly Path[])[] {
  const list = blockAt(tree, [])['model_list'];
  const settings = new Map<string, Path[]>();
  const look = (path: Path, known: readonly string[]): void => {
    const entry = path.slice(0, 2);
    const all = ['model_info', 'litellm_params'].map((block) => blockAt(tree, [...entry, block]));
    for (const key of askedIn(blockAt(tree, path), known)) {
      if (isUsedPrice(Object.assign({}, ...all), key)) continue;
      const setting = [...path.slice(2), key].join('.');
      const paths = settings.get(setting) ?? [];
      paths.push([...path, key]);
      settings.set(setting, paths);
    }
  };
  for (const at of Array.isArray(list) ? list.keys() : []) {
    if (unserved.has(at)) continue;
    look(['model_list', at], read.entry);
    look(['model_list', at, 'litellm_params'], read.litellm_params);
    look(['model_list', at, 'model_info'], read.model_info);
  }
  return [...settings.values()];
}

/** `ssl_verify` is active when it is off. */
const askedIn = (block: object, known: readonly string[]): readonly string[] =>
  Object.entries(block)
    .filter(([key, value]) => isAsked(key === 'ssl_verify' ? value === false : value))
    .flatMap(([key]) => (known.includes(key) ? [] : key));

function warningOf(source: Source, [path = [], ...others]: readonly Path[]): Issue {
  const key = String(path.at(-1));
  const remedy = path.length === 1 ? ignoredBlocks.get(key) : remedyOf(key);
  const entries = others.length === 1 ? 'entry' : 'entries';
  const more = others.length === 0 ? '' : `; also in ${others.length} other ${entries}`;
  return source.issue(path, `is ignored: ${remedy ?? 'gw has no such setting'}${more}`);
}
