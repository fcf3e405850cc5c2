// The attributes of a request that routing uses. Methods compute what only some rules and policies need.

import type { PromptClassId } from '../lib/ids.ts';
import type { Caller } from '../snapshot/compile/callers.ts';
import type { LiveView } from './load.ts';

export type RoutedRequest = Readonly<{
  model: string;
  isStream: boolean;
  promptEstimate: number;
  /** Null when the request has none. */
  maxTokens: number | null;
  /** Null when the prompt was not classified, or belongs to no class. */
  promptClass: PromptClassId | null;
  nowMs: number;
  /** `name` is in lower case. */
  header(name: string): string | undefined;
  /** 32 bits, equal for all requests of one conversation. */
  conversationKey(): number;
}>;

export type RouteInput = Readonly<{ caller: Caller; request: RoutedRequest; live: LiveView }>;
