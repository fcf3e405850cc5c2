// Reads a configuration file into a snapshot (File mode; specification, "File-mode configuration file"). The format is a superset
// of a common one, so that files of it work unchanged (Versioning rule 4); docs/guides/configuration-file.md says what of it is done.

import { buildSnapshot } from './file/build.ts';
import { readDocument } from './file/document.ts';
import { unknownGrants } from './file/keys.ts';
import { layOut, namesServed } from './file/layout.ts';
import { issueOfFile, issueText } from './file/source.ts';
import type { Environment, Issue, Source } from './file/source.ts';
import type { Snapshot } from './schema.ts';
import type { Tuning } from './tuning.ts';

/** `warnings` name what the file asks for and gw does not do. */
export type FileSnapshot = Readonly<{
  snapshot: Snapshot;
  /** Of each prompt class, in the snapshot's order: what its centroid is made of. */
  examples: readonly (readonly string[])[];
  tuning: Tuning;
  warnings: readonly string[];
}>;

/** All that is wrong with a file is found at once. */
export type FileCheck = Readonly<{
  /** Null when there are errors. */
  file: FileSnapshot | null;
  errors: readonly Issue[];
  warnings: readonly Issue[];
}>;

/** How to serve a file that says nothing about keys, or asks for more than gw does. */
export type FileAccess = Readonly<{
  /** Used when the file has no `general_settings.master_key`. */
  masterKey: string | null;
  /** Serve everyone although the file asks for authentication that gw does not do. */
  open: boolean;
  /** Leave out the entries that gw cannot serve. */
  skipUnsupported: boolean;
}>;

export const asTheFileSays: FileAccess = { masterKey: null, open: false, skipUnsupported: false };

/** `source`: the file, or what is wrong with it. */
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
  const layout = layOut(document, { several: true, isRouted: () => false });
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

/** A key file is exchanged for access tokens by a control plane alone. */
const unexchanged = ({ config }: Snapshot): readonly Issue[] =>
  config.providers
    .filter(({ credential_kind: kind }) => kind === 'cloud_service_account')
    .map(({ api_base: address }) =>
      issueOfFile(`${address} is out: credential_kind cloud_service_account needs a control plane`),
    );
