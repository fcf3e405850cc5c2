// What an MCP server and an agent differ in: their words, their calls, and the field that says how they are spoken to.

import type { Answered, Change } from '../../api/http/call.ts';
import type { IconName } from '../../icons.ts';
import type { Remote, RemoteChange, remoteBody } from '../../lib/providers/remote-draft.ts';

export type RemoteKind = Readonly<{
  /** Of the place. */
  screen: string;
  heading: string;
  about: string;
  noun: string;
  /** Its kind in the log. */
  stream: string;
  /** In the singular, with its article. */
  one: string;
  plural: string;
  icon: IconName;
  teaches: string;
  /** The list's path in the API, which the audit log names too. */
  path: string;
  dialect: Readonly<{ field: string; label: string; choices: readonly string[] }>;
  dialectOf: (remote: Remote) => string;
  list: (signal: AbortSignal) => Promise<readonly Remote[]>;
  create: (
    body: ReturnType<typeof remoteBody>,
    dialect: string,
    change: Change,
  ) => Promise<Answered<unknown>>;
  /** `dialect` undefined leaves it as it is. */
  update: (
    id: number,
    given: Readonly<{ body: RemoteChange; dialect: string | undefined }>,
    change: Change,
  ) => Promise<Answered<unknown>>;
  remove: (id: number, change: Change) => Promise<Answered<unknown>>;
}>;
