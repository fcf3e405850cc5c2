// Reads a configuration file into a snapshot (File mode; specification, "File-mode configuration file"). The format is a superset
// of a common one, so that files of it work unchanged (Versioning rule 4); docs/config-file.md says what of it is done.

import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import { buildSnapshot } from './file/build.ts';
import { readDocument } from './file/document.ts';
import { layOut } from './file/layout.ts';
import { issueText } from './file/source.ts';
import type { Environment, Issue } from './file/source.ts';
import type { Snapshot } from './schema.ts';
import type { Tuning } from './tuning.ts';

/** `warnings` name what the file asks for and this gateway does not do. */
export type FileSnapshot = Readonly<{
  snapshot: Snapshot;
  /** Of each prompt class, in the snapshot's order: what its centroid is made of. */
  examples: readonly (readonly string[])[];
  tuning: Tuning;
  warnings: readonly string[];
}>;

/** What a file comes to: all that is wrong with it is found at once. */
export type FileCheck = Readonly<{
  /** Null when there are errors. */
  file: FileSnapshot | null;
  errors: readonly Issue[];
  warnings: readonly Issue[];
}>;

/** `masterKey` stands for general_settings.master_key when the file has none. */
export function checkConfigFile(
  source: string,
  environment: Environment,
  masterKey: string | null = null,
): FileCheck {
  const { document, errors, warnings } = readDocument(source, { environment, masterKey });
  if (document === null) return { file: null, errors, warnings };
  const wrong = (messages: readonly string[]): FileCheck => ({
    file: null,
    errors: messages.map((message) => ({ path: '', line: null, message })),
    warnings,
  });
  const layout = layOut(document, { several: true, isRouted: () => false });
  if (!('models' in layout)) return wrong(layout);
  const snapshot = buildSnapshot(document, layout);
  if (!('config' in snapshot)) return wrong(snapshot);
  const { tuning, promptClasses } = document;
  const examples = promptClasses.map((one) => one.examples);
  const all = [...warnings, ...unexchanged(snapshot)];
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
    .map(({ api_base: address }) => ({
      path: '',
      line: null,
      message: `${address} is out: credential_kind cloud_service_account needs a control plane`,
    }));

/** The refusal names the first thing that is wrong, and how many more there are. */
export function readConfigFile(
  source: string,
  environment: Environment,
  masterKey: string | null = null,
): FileSnapshot | Refusal {
  const { file, errors } = checkConfigFile(source, environment, masterKey);
  if (file !== null) return file;
  const [first, ...others] = errors;
  const more = others.length === 0 ? '' : `; and ${others.length} more (gw config check)`;
  const param = first?.path ?? '';
  const text = first === undefined ? 'unreadable' : issueText(first);
  return refuse('invalid', `${text}${more}`, param === '' ? {} : { param });
}
