// What is asked about before it is done: the words for it, what changes, and the call that does it.

import type { Answered, Change } from '../../api/http/call.ts';
import { capital } from '../text/format.ts';

export type Save = Readonly<{
  heading: string;
  /** On the button, such as "Delete". */
  verb: string;
  /** Said when it is done, such as "Provider OpenAI changed". */
  done: string;
  /** What is there and what is sent; null shows no table, `{}` before is a new record. Secrets are not to be in either. */
  before: Readonly<Record<string, unknown>> | null;
  after: Readonly<Record<string, unknown>> | null;
  /** What looks like a mistake; it can be saved all the same. */
  warnings?: readonly string[];
  /** Cannot be taken back: what breaks is in the slot. */
  danger?: boolean;
  /** To be typed first. */
  name?: string;
  /** It is not done without a reason. */
  reasonNeeded?: boolean;
  /** Of the record, such as `role-3`, where the path of the call does not say it. */
  stream?: string;
  /** The change is not live yet: what the notice says instead of the version that is published. */
  notPublished?: string;
  /** A list is sent as a whole: what others put into it since would be taken away. */
  sendsWhole?: boolean;
  /** What it takes from others, drawn in its dialog. */
  breaks?: unknown;
  /** What it means, said above what changes. */
  about?: string;
  /** What is waited for when it takes a while. */
  busyText?: string;
  /** What is open then, of what was answered, such as `theMade`; the record that is open now when absent. */
  opens?: (answered: unknown) => readonly (string | number)[];
  run: (change: Change) => Promise<Answered<unknown>>;
}>;

/** `stream` is for where the path of the call does not name the record by its id. */
type Words = Readonly<{ noun: string; name: string; stream?: string }>;
type Given = Partial<Save> & Pick<Save, 'run'>;

/** A new record. */
export const additionOf = (
  { noun, name }: Words,
  given: Given & Readonly<{ after: NonNullable<Save['after']> }>,
): Save => ({
  heading: `Create ${noun} ${name}`,
  verb: `Create ${noun}`,
  done: `${capital(noun)} ${name} created`,
  before: {},
  opens: theMade,
  ...given,
});

export const changeOf = (
  { noun, name, ...more }: Words,
  given: Given & Pick<Save, 'before' | 'after'>,
): Save => ({
  heading: `Edit ${name}`,
  verb: 'Save changes',
  done: `${capital(noun)} ${name} updated`,
  ...more,
  ...given,
});

export const deletionOf = ({ noun, name, ...more }: Words, given: Given): Save => ({
  heading: `Delete ${name}`,
  verb: `Delete ${noun}`,
  done: `${capital(noun)} ${name} deleted`,
  before: null,
  after: null,
  danger: true,
  name,
  opens: theList,
  ...more,
  ...given,
});

/** Names a record in a call by its id, and the version of it that was seen. */
export const seen = ({ id, version }: Readonly<{ id: number; version: number }>) => ({
  params: { id },
  version,
});

/** Opens what was made. */
export const theMade: NonNullable<Save['opens']> = (answered) => {
  const id: unknown = Reflect.get(Object(answered), 'id');
  return typeof id === 'number' ? [id] : [];
};

/** Goes back to the list, because what was open is no more. */
export const theList: NonNullable<Save['opens']> = () => [];
