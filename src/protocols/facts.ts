// Lists all backend protocols and their differences. To add one, write its folder and add it here
// and in `protocol.ts` (CONTRIBUTING.md). The UI uses this table too, so facts must not import
// packages at run time.

import { anthropic } from './anthropic/facts.ts';
import { gemini } from './gemini/facts.ts';
import { openai } from './openai/facts.ts';

type ProtocolFacts = Readonly<{
  alias: string | null;
  /** The default header for credentials. A null scheme sends the raw value. */
  auth: Readonly<{ auth_header: string; auth_scheme: string | null }>;
  modelList: Readonly<{
    /** Relative to the path of the API base. */
    pathBelow: (basePath: string) => string;
    /** Requests the whole list in one page. */
    query: string;
    /** The shapes of an empty list. */
    emptyShapes: readonly ('data' | 'null' | 'models')[];
  }>;
  /** Alternating names and values, for every request. */
  requestHeaders: readonly string[];
  /** Client headers that are only forwarded to backends of this protocol. */
  clientHeaders: readonly string[];
  /** True if requests of the Messages API are forwarded unchanged. */
  servesMessages: boolean;
}>;

/** In the order of pickers. */
const table = { openai, anthropic, gemini } satisfies Readonly<Record<string, ProtocolFacts>>;

export type Protocol = keyof typeof table;

export const protocolFacts: Readonly<Record<Protocol, ProtocolFacts>> = table;

export const protocolNames = namesOf(table);

/** Clients speak chat completions. Requests to backends of other protocols are translated. */
export const commonProtocol: Protocol = 'openai';

function namesOf<Table extends object>(facts: Table): readonly (keyof Table & string)[];
function namesOf(facts: object): readonly string[] {
  return Object.keys(facts);
}
