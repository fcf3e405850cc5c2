// How a translation says no: the request itself is wrong, or the backend's protocol has no way to
// say what it asks for (Gateway rule 14).

import type { Protocol } from '../lib/vocabulary.ts';

export type ProtocolRefusal = Readonly<{
  refused: 'invalid' | 'unsupported';
  status: 400 | 501;
  /** Names the field and the value that was wrong, or the feature that is missing. */
  message: string;
  /** The member of the request, as `messages[2].content[0]`. */
  param: string | null;
  /** More headers of the answer, names and values in turn. */
  headers: readonly string[];
}>;

/** Readers go on after a refusal; the first of them is the answer. */
export type Refusals = ProtocolRefusal[];

export const isProtocolRefusal = (value: object): value is ProtocolRefusal => 'refused' in value;

export const invalid = (param: string, message: string): ProtocolRefusal => ({
  refused: 'invalid',
  status: 400,
  message: `${param} ${message}`,
  param,
  headers: [],
});

export const nestedTooDeeply: ProtocolRefusal = {
  ...invalid('body', 'is nested too deeply'),
  param: null,
};

/** Clients retry a 5xx unless they are told that it is of no use. */
export const unsupported = (
  protocol: Protocol,
  feature: string,
  param: string | null,
): ProtocolRefusal => ({
  refused: 'unsupported',
  status: 501,
  message: `a backend of protocol ${protocol} does not support ${feature}`,
  param,
  headers: ['x-should-retry', 'false'],
});
