// Reads the form of a new API key, and writes sample commands for it.

import type { Zone } from '../text/format.ts';

export type KeyDraft = Readonly<{
  name: string;
  /** Empty until a principal is chosen. */
  principal_id: string;
  /** `never`, a number of days, or `date`. */
  expiry: string;
  /** The value of `datetime-local`, in the chosen zone. */
  expires_at: string;
}>;

export const blankKey: KeyDraft = { name: '', principal_id: '', expiry: '90', expires_at: '' };

const dayMs = 24 * 3_600_000;

/** RFC 3339. An invalid time is sent unchanged, so that the server explains it. */
export const momentOf = (text: string, zone: Zone): string => {
  const at = new Date(zone === 'utc' ? `${text}Z` : text);
  return Number.isNaN(at.getTime()) ? text : at.toISOString();
};

export type Now = Readonly<{ now: number; zone: Zone }>;

export function keyBody(draft: KeyDraft, { now, zone }: Now) {
  const { name, principal_id, expiry } = draft;
  const days = Number(expiry);
  const expires_at =
    expiry === 'never'
      ? null
      : expiry === 'date'
        ? momentOf(draft.expires_at, zone)
        : new Date(now + days * dayMs).toISOString();
  return { name: name.trim(), principal_id: Number(principal_id), expires_at };
}

/** Single quotes preserve every character in a shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

type Use = Readonly<{ base: string; key: string; model: string }>;

export function curlOf({ base, key, model }: Use): string {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] });
  return [
    `curl ${base}/v1/chat/completions \\`,
    `  -H ${quoted(`authorization: Bearer ${key}`)} \\`,
    `  -H 'content-type: application/json' \\`,
    `  -d ${quoted(body)}`,
  ].join('\n');
}

/** The variables that most OpenAI clients read. */
export const environmentOf = ({ base, key }: Pick<Use, 'base' | 'key'>): string =>
  `export OPENAI_BASE_URL=${base}/v1\nexport OPENAI_API_KEY=${quoted(key)}`;

/** Clients cannot use these addresses. */
const everyAddress: ReadonlySet<string> = new Set(['0.0.0.0', '[::]']);

/** Null if the process does not know its address for clients. */
export function gatewayAddress(config: Readonly<{ gateway_url: string | null }>): string | null {
  const { gateway_url: address } = config;
  const isKnown = address !== null && !everyAddress.has(new URL(address).hostname);
  return isKnown ? address.replace(/\/$/u, '') : null;
}
