// Describes why a translation refuses a request: the request is invalid, or the backend's protocol
// does not support a feature (Gateway rule 14).

import type { Protocol } from '../lib/vocabulary.ts';

export type ProtocolRefusal = Readonly<{
  refused: 'invalid' | 'unsupported';
  status: 400 | 501;
  /** Names the invalid field and value, or the unsupported feature. */
  message: string;
  /** The path of the member, for example `messages[2].content[0]`. */
  param: string | null;
  /** Additional response headers: alternating names and values. */
  headers: readonly string[];
}>;

/** Readers continue after a refusal. The first refusal is the answer. */
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

/** Without this header clients retry a 5xx, which cannot succeed. */
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
