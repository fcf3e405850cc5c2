// What a configuration file says, resolved and checked, before anybody decides what to make of it: File mode makes a snapshot,
// an import makes commands. No key is in it in clear.

import { hash } from 'node:crypto';

import type { z } from 'zod';

import { tuning } from '../tuning.ts';
import type { Tuning } from '../tuning.ts';
import { bareModelOf, readEntries } from './entries.ts';
import type { BareModel, Entry } from './entries.ts';
import { readFallbacks } from './fallbacks.ts';
import type { Fallbacks } from './fallbacks.ts';
import { configFile } from './format.ts';
import type { ConfigFile, ServiceBlock } from './format.ts';
import { readKeys, readPrincipals } from './keys.ts';
import type { FileKey, FilePrincipal } from './keys.ts';
import { readProviders } from './providers.ts';
import type { NamedProvider } from './providers.ts';
import type { FileFrontendModel, FilePool, FilePromptClass, FileRole } from './records.ts';
import { readSource } from './source.ts';
import type { Environment, Issue, Source } from './source.ts';
import { unheeded } from './unheeded.ts';

export type ConfigDocument = Readonly<{
  /** SHA-256 of the file. */
  digest: string;
  entries: readonly Entry[];
  bareModels: readonly BareModel[];
  /** Those that the file gives a name of their own. */
  providers: readonly NamedProvider[];
  /** Null when the file asks for no key at all; an `auth` block that is empty lets nobody in. */
  keys: readonly FileKey[] | null;
  principals: readonly FilePrincipal[];
  roles: readonly FileRole[];
  pools: readonly FilePool[];
  frontendModels: readonly FileFrontendModel[];
  promptClasses: readonly FilePromptClass[];
  fallbacks: Fallbacks;
  tuning: Tuning;
}>;

/** `document` is null when there are errors. Warnings name what the file asks for and nobody does. */
export type Reading = Readonly<{
  document: ConfigDocument | null;
  errors: readonly Issue[];
  warnings: readonly Issue[];
}>;

export type ReadOptions = Readonly<{
  environment: Environment;
  /** Stands for general_settings.master_key when the file has none. */
  masterKey: string | null;
  /** Other records alone are enough: they come to models that are there. */
  mayLackModels?: boolean;
}>;

export function readDocument(text: string, options: ReadOptions): Reading {
  const source = readSource(text, options.environment);
  if (!('tree' in source)) {
    return { document: null, errors: [source], warnings: [] };
  }
  const warnings = [...source.duplicates, ...unheeded(source)];
  const parsed = configFile.safeParse(source.tree ?? {});
  if (!parsed.success) {
    return { document: null, errors: zodIssues(parsed.error, source), warnings };
  }
  const errors: Issue[] = [];
  const notes = { source, errors, warnings };
  const document = resolve(parsed.data, hash('sha256', text), { ...notes, ...options });
  return { document: errors.length === 0 ? document : null, errors, warnings };
}

/** Where a reader says what it found wrong, or left undone. */
export type Notes = Readonly<{
  source: Source;
  errors: Issue[];
  warnings: Issue[];
}>;

const hasRecords = (block: Partial<ServiceBlock>): boolean =>
  [
    block.providers,
    block.principals,
    block.roles,
    block.pools,
    block.frontend_models,
    block.prompt_classes,
  ].some((list) => (list ?? []).length > 0);

function resolve(file: ConfigFile, digest: string, options: Notes & ReadOptions): ConfigDocument {
  const [blockName, block] = serviceBlock(file, options);
  const entries = readEntries(file.model_list ?? [], options);
  const names = new Set(entries.map(({ name }) => name));
  const own = block ?? {};
  const bareModels = (own.models ?? []).map(bareModelOf);
  const isEnough = options.mayLackModels === true && hasRecords(own);
  if (!isEnough && (file.model_list ?? []).length + bareModels.length === 0) {
    options.errors.push(options.source.issue(['model_list'], 'names no model'));
  }
  return {
    digest,
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
      fallbackModel: own.fallback_model ?? null,
    }),
    tuning: tuning.parse(own),
  };
}

/** Both names of the block mean the same; what it does not know is most likely misspelt. */
function serviceBlock(
  { gw, fastllm }: ConfigFile,
  { source, warnings }: Notes,
): readonly [string, Partial<ServiceBlock> | null] {
  const name = gw === undefined || gw === null ? 'fastllm' : 'gw';
  const block = gw ?? fastllm ?? null;
  if (gw && fastllm) warnings.push(source.issue(['fastllm'], 'is not read beside gw'));
  const known = knownKeys();
  for (const key of Object.keys(block ?? {})) {
    if (!known.has(key)) warnings.push(source.issue([name, key], 'is not known here'));
  }
  return [name, block];
}

const knownKeys = (): ReadonlySet<string> =>
  new Set(Object.keys(configFile.shape.gw.unwrap().unwrap().shape));

function zodIssues(error: z.ZodError, source: Source): readonly Issue[] {
  return error.issues.map((issue) => {
    // A union says why each of its forms does not fit; the first is the one that is meant.
    const inner = issue.code === 'invalid_union' ? issue.errors[0]?.[0] : undefined;
    const path = [...issue.path, ...(inner?.path ?? [])];
    return source.issue(path, inner?.message ?? issue.message);
  });
}
