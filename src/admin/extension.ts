// What an extension adds to the control plane. `extensions/control.ts` lists the extensions; nothing else of the core imports them.

import type { z } from 'zod';

import type { ConfigState } from '../../projections/config/state.ts';
import type { Heads } from '../control/log/heads.ts';
import type { PastStates } from '../control/history/states.ts';
import type { HistoryNeeds } from './history/needs.ts';
import type { Credentials } from './http/authorise.ts';
import type { Route, ServedRoute } from './http/route.ts';
import type { Program } from './operations/program.ts';

/** What extensions need of the program. */
export type ExtensionNeeds = HistoryNeeds &
  Readonly<{
    past: PastStates;
    /** Looks up what a request is authenticated by. */
    credentials: Credentials;
    /** How often the log was read again because the database lost some of it. */
    rereads: () => number;
    /** For whoever waits that the log grows. */
    heads: Heads;
    program: Program;
  }>;

/** Only handlers may ask for them: routes are described before the control plane is open. */
export type Core = () => ExtensionNeeds;

export type Preview = Readonly<{
  record: z.ZodType;
  /** Null when it cannot be said now. */
  of: (change: Readonly<{ before: ConfigState; after: ConfigState }>) => Promise<unknown>;
}>;

export type Extension = (core: Core) => Readonly<{
  /** Of the admin listener. `others` are the routes of the core. */
  routes?: (others: readonly ServedRoute[]) => readonly Route<ExtensionNeeds>[];
  /** What the preview of a restore says under `what_if`. */
  preview?: Preview;
}>;
