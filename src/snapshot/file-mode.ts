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

/** How a file is served that says nothing of keys, or asks for more than gw does. */
export type FileAccess = Readonly<{
  /** Used when the file has no `general_settings.master_key`. */
  masterKey: string | null;
  /** Serve everyone although the file asks for authentication that gw does not do. */
  open: boolean;
}>;

const asTheFileSays: FileAccess = { masterKey: null, open: false };

export function checkConfigFile(
  source: string,
  environment: Environment,
  access: FileAccess = asTheFileSays,
): FileCheck {
  const masterKey = access.masterKey ?? environment['LITELLM_MASTER_KEY'] ?? null;
  const { document, errors, warnings } = readDocument(source, { environment, masterKey });
  if (document === null) return { file: null, errors, warnings };
  const unprotected = unprotectedBy(warnings, { isOpen: document.keys === null, access });
  if (unprotected.length > 0) return { file: null, errors: unprotected, warnings };
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

/** Settings of the common format that decide who may call, none of which gw does. */
const authentication: ReadonlySet<string> = new Set(
  [
    'custom_auth',
    'enable_jwt_auth',
    'litellm_jwtauth',
    'enable_oauth2_auth',
    'allow_user_auth',
    'custom_sso',
  ].map((name) => `general_settings.${name}`),
);

/**
 * A file that restricts its callers by means that gw lacks must not be served to everyone. With keys it is served to their holders;
 * addresses are a restriction of their own, which keys do not replace.
 */
function unprotectedBy(
  warnings: readonly Issue[],
  { isOpen, access }: Readonly<{ isOpen: boolean; access: FileAccess }>,
): readonly Issue[] {
  if (access.open) return [];
  return warnings.flatMap(({ path, line }) => {
    if (path === 'general_settings.allowed_ips') {
      const message =
        'gw does not restrict the addresses of callers: remove it and restrict them in front ' +
        'of gw, or start with --open';
      return [{ path, line, message }];
    }
    if (!isOpen || !authentication.has(path)) return [];
    const message =
      'gw does not do this authentication, and the file has no key: add auth.keys or ' +
      'general_settings.master_key, or start with --open to serve everyone';
    return [{ path, line, message }];
  });
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
  access: FileAccess = asTheFileSays,
): FileSnapshot | Refusal {
  const { file, errors } = checkConfigFile(source, environment, access);
  if (file !== null) return file;
  const [first, ...others] = errors;
  const more = others.length === 0 ? '' : `; and ${others.length} more (gw config check)`;
  const param = first?.path ?? '';
  const text = first === undefined ? 'unreadable' : issueText(first);
  return refuse('invalid', `${text}${more}`, param === '' ? {} : { param });
}
