// Verifies an export of the log where it is shown: every digest is computed anew from the exact bytes, so that nothing of it has to be
// believed of the server but where the log ends. It does what deploy/verify.mjs does, without the signatures of checkpoints.

import { bytesOf, chainedHash, hexOf } from './chain.ts';

/** How far it has come; `problem` ends it. */
export type Verified = Readonly<{
  position: number;
  /** Of the last event, as it was computed. */
  hash: string;
  checkpoints: number;
  problem: Readonly<{ position: number; text: string }> | null;
  /** The end was read, and all of it holds. */
  isWhole: boolean;
}>;

const begun: Verified = { position: 0, hash: '', checkpoints: 0, problem: null, isWhole: false };

export type Verifier = Readonly<{
  /** One line of the export, in their order; nothing is taken behind a problem. */
  take: (line: string) => Promise<void>;
  state: () => Verified;
}>;

const sha256 = async (text: string): Promise<string> =>
  hexOf(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))));

type Line = Readonly<Record<string, unknown>>;

export function createVerifier(): Verifier {
  let state = begun;
  const blank = { first: 0, count: 0 };
  const fail = (position: number, text: string): void => {
    state = { ...state, problem: { position, text } };
  };
  const follow = async (event: Line): Promise<void> => {
    const position = Number(event['position']);
    const problem =
      position === state.position + 1 ? await problemOf(event) : 'it is not the next one';
    if (problem !== null) {
      fail(state.position + 1, problem);
      return;
    }
    const hash = await chainedHash(state.hash, String(event['leaf_hash']));
    if (event['payload'] === null) {
      blank.count += 1;
      if (blank.count === 1) blank.first = position;
    }
    if (hash === event['hash']) state = { ...state, position, hash };
    else fail(position, 'it does not follow from the one before it');
  };
  const take = async (text: string): Promise<void> => {
    if (state.problem !== null) return;
    if (state.isWhole) {
      fail(state.position + 1, 'something stands behind the end');
      return;
    }
    const line = parsed(text);
    if (line === null) fail(state.position + 1, 'a line is no record');
    else if ('gw_log_export' in line) {
      if (line['from'] !== 1) fail(1, 'the export does not begin with the first event');
      const genesis = await sha256(`gw-log-genesis${String(line['log_id'])}`);
      state = { ...state, hash: genesis };
    } else if ('checkpoint' in line) {
      const [, position, hash] = String(line['checkpoint']).split('\n');
      const own = btoa(String.fromCharCode(...bytesOf(state.hash)));
      if (Number(position) !== state.position || hash !== own) {
        fail(state.position, 'a signed checkpoint states otherwise');
      } else state = { ...state, checkpoints: state.checkpoints + 1 };
    } else if ('end' in line) {
      const holds = line['end'] === state.position && line['hash'] === state.hash;
      if (holds && blank.count > 0) fail(blank.first, blankText(blank.count));
      else if (holds) state = { ...state, isWhole: true };
      else fail(state.position, 'the end is not that of the events');
    } else await follow(line);
  };
  return { take, state: () => state };
}

const blankText = (count: number): string =>
  count === 1
    ? 'the payload of this event was removed'
    : `the payloads of this event and of ${count - 1} more were removed`;

function parsed(text: string): Line | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value))
      : null;
  } catch {
    return null;
  }
}

/** What of an event was altered; null is nothing. See events/seal.ts. */
async function problemOf(event: Line): Promise<string | null> {
  const { payload, payload_digest: digest } = event;
  // Null was erased; its digest stays.
  const isText = payload === null || typeof payload === 'string';
  if (!isText || (payload !== null && (await sha256(payload)) !== digest)) {
    return 'its data is altered';
  }
  const leaf = [
    '\0gw-event-v1',
    ...leafFields.map((name) => event[name]),
    await sha256(String(event['metadata'])),
    digest,
    '',
  ].join('\n');
  return (await sha256(leaf)) === event['leaf_hash'] ? null : 'its envelope is altered';
}

const leafFields = [
  'position',
  'stream',
  'version',
  'event_id',
  'type',
  'schema',
  'tx_id',
  'recorded_at',
] as const;
