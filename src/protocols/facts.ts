// Lists all backend protocols and their differences. To add one, write its folder and add it here
// and in `protocol.ts` (CONTRIBUTING.md). The UI uses this table too, so facts must not import
// packages at run time.

import { anthropic } from './anthropic/facts.ts';
import { gemini } from './gemini/facts.ts';
import { openai } from './openai/facts.ts';

type ProtocolFacts = Readonly<{
  /** An alias that is also accepted. */
  alias: string | null;
  /** Sends credentials in this header by default. A null scheme sends the raw value. */
  auth: Readonly<{ auth_header: string; auth_scheme: string | null }>;
  modelList: Readonly<{
    /** Relative to the path of the API base. */
    pathBelow: (basePath: string) => string;
    /** Requests the whole list in one page. */
    query: string;
    /** The shapes in which a server without models returns its empty list. */
    emptyShapes: readonly ('data' | 'null' | 'models')[];
  }>;
  /** Alternating names and values, sent with every request. */
  requestHeaders: readonly string[];
  /** Client headers that are only forwarded to backends of this protocol. */
  clientHeaders: readonly string[];
  /** True if requests of the Messages API are forwarded unchanged. */
  servesMessages: boolean;
}>;

/** In the order in which pickers list them. */
const table = { openai, anthropic, gemini } satisfies Readonly<Record<string, ProtocolFacts>>;

export type Protocol = keyof typeof table;

export const protocolFacts: Readonly<Record<Protocol, ProtocolFacts>> = table;

export const protocolNames = namesOf(table);

/**
 * Chat completions, which clients speak: the default. Requests to backends of other protocols are
 * translated.
 */
export const commonProtocol: Protocol = 'openai';

function namesOf<Table extends object>(facts: Table): readonly (keyof Table & string)[];
function namesOf(facts: object): readonly string[] {
  return Object.keys(facts);
}
