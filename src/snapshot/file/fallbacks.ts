// Reads the fallbacks and aliases of the common format: the names to try if a name cannot be
// served.

import type { ConfigFile } from './format.ts';
import type { Notes, Path } from './source.ts';

export type Fallbacks = Readonly<{
  /** In order. */
  chains: ReadonlyMap<string, readonly string[]>;
  /** The name that each alias refers to. */
  aliases: ReadonlyMap<string, string>;
  /** Applies to every chain. */
  fallbackModel: string | null;
}>;

type Options = Notes &
  Readonly<{
    names: ReadonlySet<unknown>;
    /** Other entries are invalid or left out. */
    served: ReadonlySet<string>;
    fallbackModel: string | null;
  }>;

/** router_settings and litellm_settings have the same keys. Those of the router come first. */
export function readFallbacks(file: ConfigFile, options: Options): Fallbacks {
  const chains = new Map<string, readonly string[]>();
  const aliases = new Map<string, string>();
  let everywhere: readonly string[] = [];
  for (const block of ['router_settings', 'litellm_settings'] as const) {
    const settings = file[block];
    for (const [index, given] of (settings?.fallbacks ?? []).entries()) {
      for (const [name, behind] of Object.entries(given)) {
        const at = [block, 'fallbacks', index, name];
        const known = knownNames(behind, at, options);
        if (name === '*') everywhere = known;
        else if (isKnown(name, at, options)) chains.set(name, chains.get(name) ?? known);
      }
    }
    for (const [alias, name] of Object.entries(settings?.model_group_alias ?? {})) {
      const at = [block, 'model_group_alias', alias];
      if (options.names.has(alias)) {
        options.errors.push(options.source.issue(at, `${alias} is also the name of a model`));
      } else if (isKnown(name, at, options)) {
        aliases.set(alias, name);
      }
    }
    const defaults = settings?.default_fallbacks ?? [];
    if (everywhere.length === 0) {
      everywhere = knownNames(defaults, [block, 'default_fallbacks'], options);
    }
  }
  const [first = null, ...others] = everywhere;
  if (others.length > 0) {
    const at = ['litellm_settings', 'default_fallbacks'];
    options.warnings.push(
      options.source.issue(
        at,
        'only the first of these models is used, as fallback of every model',
      ),
    );
  }
  return { chains, aliases, fallbackModel: options.fallbackModel ?? first };
}

const knownNames = (names: readonly string[], at: Path, options: Options): readonly string[] =>
  names.filter((name, index) => isKnown(name, [...at, index], options));

/** A name that was left out is a warning, and one that is not in the file an error. */
function isKnown(name: string, at: Path, options: Options): boolean {
  const { names, served, source, errors, warnings } = options;
  if (served.has(name)) return true;
  if (!names.has(name)) errors.push(source.issue(at, `no entry of model_list is named ${name}`));
  else if (errors.length === 0) warnings.push(source.issue(at, `is left out: ${name} is skipped`));
  return false;
}
