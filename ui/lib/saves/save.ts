// Describes a change that is confirmed before it is made: its texts, its diff and its call.

import type { Answered, Change } from '../../api/http/call.ts';
import { capital } from '../text/format.ts';

export type Save = Readonly<{
  heading: string;
  /** On the button, such as "Delete". */
  verb: string;
  /** The notification, such as "Provider OpenAI updated". */
  done: string;
  /** Null shows no diff, `{}` before is a new record. Neither can contain secrets. */
  before: Readonly<Record<string, unknown>> | null;
  after: Readonly<Record<string, unknown>> | null;
  /** Likely mistakes, which do not prevent the save. */
  warnings?: readonly string[];
  /** For an irreversible change. */
  danger?: boolean;
  /** Must be typed to confirm. */
  name?: string;
  reasonNeeded?: boolean;
  /** For example `role-3`, if the path does not contain its id. */
  stream?: string;
  /** Shown instead of the version if the change is not published. */
  notPublished?: string;
  /** A whole list is sent, which would remove additions of others. */
  sendsWhole?: boolean;
  breaks?: unknown;
  /** Shown above the diff. */
  about?: string;
  /** Shown while a slow call runs. */
  busyText?: string;
  /** The record that opens afterwards, such as `theMade`; the current one when absent. */
  opens?: (answered: unknown) => readonly (string | number)[];
  run: (change: Change) => Promise<Answered<unknown>>;
}>;

/** `stream` is needed if the path does not contain the record's id. */
type Words = Readonly<{ noun: string; name: string; stream?: string }>;
type Given = Partial<Save> & Pick<Save, 'run'>;

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

/** Parameters of a call. */
export const seen = ({ id, version }: Readonly<{ id: number; version: number }>) => ({
  params: { id },
  version,
});

export const theMade: NonNullable<Save['opens']> = (answered) => {
  const id: unknown = Reflect.get(Object(answered), 'id');
  return typeof id === 'number' ? [id] : [];
};

/** The record no longer exists. */
export const theList: NonNullable<Save['opens']> = () => [];
