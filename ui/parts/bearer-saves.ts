// What can be done to an API key or an admin token, each as a save.

import type { Answered, Change } from '../api/http/call.ts';
import type { Bearer } from '../lib/access/bearer.ts';
import { capital } from '../lib/text/format.ts';
import type { Save } from '../lib/saves/save.ts';

type Creation<Made> = Readonly<{
  /** "key" or "token". */
  noun: string;
  name: string;
  /** What is created, as it is shown. */
  after: Readonly<Record<string, unknown>>;
  create: (change: Change) => Promise<Answered<Made>>;
  /** Takes the answer, the only one that holds the secret. */
  onMade: (made: Made) => void;
}>;

/** Leaves the form open behind the dialog that shows the secret. */
export const creationOf = <Made>({ noun, name, after, create, onMade }: Creation<Made>): Save => ({
  heading: `Create ${noun} ${name}`,
  verb: `Create ${noun}`,
  done: `${capital(noun)} ${name} created`,
  before: {},
  after,
  run: async (change) => {
    const answer = await create(change);
    onMade(answer.body);
    return answer;
  },
});

type Revoke = (id: number, change: Change) => Promise<Answered<unknown>>;

export const revocationOf = (
  { id, name, version }: Bearer,
  { noun, revoke }: Readonly<{ noun: string; revoke: Revoke }>,
): Save => ({
  heading: `Revoke ${name}`,
  verb: `Revoke ${noun}`,
  done: `${capital(noun)} ${name} revoked`,
  before: null,
  after: null,
  danger: true,
  name,
  run: (change) => revoke(id, { version, ...change }),
});
