// What routing knows of a request: its size and shape, and what may be asked of it when a rule or
// a policy needs to know.

import type { PromptClassId } from '../lib/ids.ts';
import type { Caller } from '../snapshot/compile/callers.ts';
import type { LiveView } from './load.ts';

export type RoutedRequest = Readonly<{
  /** The name that the caller asked for. */
  model: string;
  isStream: boolean;
  promptEstimate: number;
  /** Null when the request has none. */
  maxTokens: number | null;
  /** Null when the prompt was not classified, or belongs to no class. */
  promptClass: PromptClassId | null;
  nowMs: number;
  /** The value of a header by its name in lower case. */
  header(name: string): string | undefined;
  /** 32 bits, equal for all requests of one conversation. */
  conversationKey(): number;
}>;

/** Who asks for what, and what the endpoints are doing meanwhile. */
export type Asking = Readonly<{ caller: Caller; request: RoutedRequest; live: LiveView }>;
