// Parses and validates a configuration file. File mode builds a snapshot from the result, an import
// builds commands. It contains no key in clear text.

import { plainly } from '../../lib/plain-issue.ts';
import { tuning } from '../tuning.ts';
import type { Tuning } from '../tuning.ts';
import { bareModelOf, readEntries } from './entries.ts';
import type { BareModel, Entry, EntryList } from './entries.ts';
import { readFallbacks } from './fallbacks.ts';
import type { Fallbacks } from './fallbacks.ts';
import { configFile } from './format.ts';
import type { ConfigFile, ServiceBlock } from './format.ts';
import { zodIssues } from './zod-issues.ts';
import { readKeys, readPrincipals } from './keys.ts';
import type { FileKey, FilePrincipal } from './keys.ts';
import { readProviders } from './providers.ts';
import type { NamedProvider } from './providers.ts';
import type { FileFrontendModel, FilePool, FilePromptClass, FileRole } from './records.ts';
import { unmetRestrictions } from './restrictions.ts';
import type { Issue, Notes, ReadOptions, Source } from './source.ts';
import { ignoredSettings } from './ignored-settings.ts';

export type ConfigDocument = Readonly<{
  /** SHA-256 of the file, or of all files. */
  digest: string;
  entries: readonly Entry[];
  bareModels: readonly BareModel[];
  /** The entries that the file names explicitly. */
  providers: readonly NamedProvider[];
  /** Null if the file requires no key. An empty `auth` block admits no one. */
  keys: readonly FileKey[] | null;
  principals: readonly FilePrincipal[];
  roles: readonly FileRole[];
  pools: readonly FilePool[];
  frontendModels: readonly FileFrontendModel[];
  promptClasses: readonly FilePromptClass[];
  fallbacks: Fallbacks;
  tuning: Tuning;
}>;

/** `document` is null if there are errors. Warnings name settings that gw does not support. */
export type Reading = Readonly<{
  document: ConfigDocument | null;
  errors: readonly Issue[];
  warnings: readonly Issue[];
  /**
   * Restrictions on callers that gw does not support: errors for a proxy, unless it serves everyone
   * on purpose.
   */
  unmet: readonly Issue[];
}>;

/** `source` is the file, or the problem with it. */
export function readDocument(source: Source | readonly Issue[], options: ReadOptions): Reading {
  if (!('tree' in source)) return { document: null, errors: source, warnings: [], unmet: [] };
  const errors: Issue[] = [];
  const warnings = [...source.warnings, ...source.lost];
  const notes = { source, errors, warnings, ...options };
  const parsed = configFile.safeParse(source.tree ?? {}, plainly);
  if (!parsed.success) errors.push(...zodIssues(parsed.error, source));
  const list = readEntries(notes);
  warnings.push(...ignoredSettings(source, list.unserved));
  const document = parsed.success ? resolve(parsed.data, list, notes) : null;
  const unmet =
    document === null ? [] : unmetRestrictions(source, { hasKeys: document.keys !== null });
  return { document: errors.length === 0 ? document : null, errors, warnings, unmet };
}

const hasRecords = (block: Partial<ServiceBlock>): boolean =>
  [
    block.providers,
    block.principals,
    block.roles,
    block.pools,
    block.frontend_models,
    block.prompt_classes,
  ].some((list) => (list ?? []).length > 0);

function resolve(
  file: ConfigFile,
  { entries, names, unserved }: EntryList,
  options: Notes & ReadOptions,
): ConfigDocument {
  const [blockName, block] = serviceBlock(file, options);
  const own = block ?? {};
  const bareModels = (own.models ?? []).map(bareModelOf);
  const isEnough = options.mayLackModels === true && hasRecords(own);
  const skipped = options.skipUnsupported === true ? unserved.size : 0;
  if (!isEnough && (file.model_list ?? []).length - skipped + bareModels.length === 0) {
    options.errors.push(options.source.issue(['model_list'], 'names no model that can be served'));
  }
  return {
    digest: options.source.digest,
    entries,
    bareModels,
    providers: readProviders(own.providers ?? [], { ...options, at: [blockName, 'providers'] }),
    keys: readKeys(file, options),
    principals: readPrincipals(own.principals ?? [], { ...options, at: [blockName, 'principals'] }),
    roles: own.roles ?? [],
    pools: own.pools ?? [],
    frontendModels: own.frontend_models ?? [],
    promptClasses: own.prompt_classes ?? [],
    fallbacks: readFallbacks(file, {
      ...options,
      names,
      served: new Set(entries.map(({ name }) => name)),
      fallbackModel: own.fallback_model ?? null,
    }),
    tuning: tuning.parse(own),
  };
}

/** The block has two names. An unknown key is most likely misspelled. */
function serviceBlock(
  { gw, fastllm }: ConfigFile,
  { source, warnings }: Notes,
): readonly [string, Partial<ServiceBlock> | null] {
  const name = gw === undefined || gw === null ? 'fastllm' : 'gw';
  const block = gw ?? fastllm ?? null;
  if (gw && fastllm)
    warnings.push(source.issue(['fastllm'], 'is ignored: the file also has a gw block'));
  const known = knownKeys();
  for (const key of Object.keys(block ?? {})) {
    if (!known.has(key))
      warnings.push(source.issue([name, key], 'is ignored: gw has no such setting'));
  }
  return [name, block];
}

const knownKeys = (): ReadonlySet<string> =>
  new Set(Object.keys(configFile.shape.gw.unwrap().unwrap().shape));
