// Builds a snapshot from a configuration file (specification, "File-mode configuration file").
// Files of a common format work unchanged (Versioning rule 4). docs/guides/configuration-file.md
// lists the supported parts.

import { buildSnapshot } from './file/build.ts';
import { readDocument } from './file/document.ts';
import { unknownGrants } from './file/keys.ts';
import { planLayout, namesServed } from './file/layout.ts';
import { issueOfFile, issueText } from './file/source.ts';
import type { Environment, Issue, Source } from './file/source.ts';
import type { Snapshot } from './schema.ts';
import type { Tuning } from './tuning.ts';

/** `warnings` name settings that gw does not support. */
export type FileSnapshot = Readonly<{
  snapshot: Snapshot;
  /** The examples of each prompt class, in snapshot order. */
  examples: readonly (readonly string[])[];
  tuning: Tuning;
  warnings: readonly string[];
}>;

/** Reports all errors of a file at once. */
export type FileCheck = Readonly<{
  /** Null if there are errors. */
  file: FileSnapshot | null;
  errors: readonly Issue[];
  warnings: readonly Issue[];
}>;

/** For a file that does not configure keys, or that asks for more than gw supports. */
export type FileAccess = Readonly<{
  /** The default of `general_settings.master_key`. */
  masterKey: string | null;
  /** Serves everyone even if the file asks for authentication that gw does not support. */
  open: boolean;
  /** Leaves out entries that gw cannot serve. */
  skipUnsupported: boolean;
}>;

export const asTheFileSays: FileAccess = { masterKey: null, open: false, skipUnsupported: false };

/** `source` is the file, or the problem with it. */
export function checkConfigFile(
  source: Source | readonly Issue[],
  environment: Environment,
  access: FileAccess = asTheFileSays,
): FileCheck {
  const masterKey = access.masterKey ?? environment['LITELLM_MASTER_KEY'] ?? null;
  const { skipUnsupported } = access;
  const options = { environment, masterKey, skipUnsupported };
  const { document, errors, warnings, unmet } = readDocument(source, options);
  const unprotected = access.open ? [] : unmet;
  if (document === null || unprotected.length > 0) {
    return { file: null, errors: [...errors, ...unprotected], warnings };
  }
  const wrong = (messages: readonly string[]): FileCheck => ({
    file: null,
    errors: messages.map(issueOfFile),
    warnings,
  });
  const layout = planLayout(document, { several: true, isRouted: () => false });
  if (!('models' in layout)) return wrong(layout);
  const snapshot = buildSnapshot(document, layout);
  if (!('config' in snapshot)) return wrong(snapshot);
  const { tuning, promptClasses } = document;
  const examples = promptClasses.map((one) => one.examples.map(({ prompt }) => prompt));
  const served = namesServed(layout);
  const unknown =
    'tree' in source ? unknownGrants(source, document.keys, (name) => served.has(name)) : [];
  const all = [...warnings, ...unknown, ...unexchanged(snapshot)];
  return {
    file: { snapshot, examples, tuning, warnings: all.map(issueText) },
    errors: [],
    warnings: all,
  };
}

/** Only a control plane exchanges key files for access tokens. */
const unexchanged = ({ config }: Snapshot): readonly Issue[] =>
  config.providers
    .filter(({ credential_kind: kind }) => kind === 'cloud_service_account')
    .map(({ api_base: address }) =>
      issueOfFile(
        `${address} is not used: credential_kind cloud_service_account needs a control plane`,
      ),
    );
