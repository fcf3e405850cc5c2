// All protocols of backends and what differs between them. To add one, write its folder, and add it here and in `protocol.ts`
// (CONTRIBUTING.md). The UI uses this table too, so no protocol's facts may need a package at run time.

import { anthropic } from './anthropic/facts.ts';
import { gemini } from './gemini/facts.ts';
import { openai } from './openai/facts.ts';

type ProtocolFacts = Readonly<{
  /** Another name that is accepted for it. */
  alias: string | null;
  /** How a credential is sent when nothing else is set. A null scheme sends it raw. */
  auth: Readonly<{ auth_header: string; auth_scheme: string | null }>;
  modelList: Readonly<{
    /** Below the API base, whose path is given. */
    pathBelow: (basePath: string) => string;
    /** Asks for the whole list in one page. */
    query: string;
    /** The shapes in which a server without models answers its empty list. */
    emptyShapes: readonly ('data' | 'null' | 'models')[];
  }>;
  /** Names and values in turn, sent with every request. */
  requestHeaders: readonly string[];
  /** Headers of clients that are forwarded to backends of this protocol only. */
  clientHeaders: readonly string[];
  /** A request of the Messages API is passed on to its backends as it is. */
  servesMessages: boolean;
}>;

/** In the order in which a choice of protocols shows them. */
const table = { openai, anthropic, gemini } satisfies Readonly<Record<string, ProtocolFacts>>;

export type Protocol = keyof typeof table;

export const protocolFacts: Readonly<Record<Protocol, ProtocolFacts>> = table;

export const protocolNames = namesOf(table);

/** The protocol of chat completions: what clients speak, and the default. Requests to backends of the others are translated. */
export const commonProtocol: Protocol = 'openai';

function namesOf<Table extends object>(facts: Table): readonly (keyof Table & string)[];
function namesOf(facts: object): readonly string[] {
  return Object.keys(facts);
}
