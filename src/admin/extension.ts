// What an extension adds to the control plane. `extensions/control.ts` lists the extensions; nothing else of the core imports them.

import type { Dispatcher } from 'undici';
import type { z } from 'zod';

import type { ConfigState } from '../../projections/config/state.ts';
import type { Notifier } from '../control/fleet/notify.ts';
import type { Heads } from '../control/log/heads.ts';
import type { PastStates } from '../control/history/states.ts';
import type { ControlPlane } from '../control/plane.ts';
import type { Job } from '../control/repeat.ts';
import type { LogObservation } from '../snapshot/health-report.ts';
import type { Log } from '../telemetry/log.ts';
import type { AccessNeeds, SingleSignOn } from './access/needs.ts';
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
    plane: Pick<
      ControlPlane,
      'db' | 'reports' | 'store' | 'execute' | 'measures' | 'vault' | 'refresh'
    >;
    access: AccessNeeds;
    /** Makes every outbound request. */
    dispatcher: Dispatcher;
    notifier: Notifier;
    /** The values of all settings by name; `valuesIn` finds those of a table. */
    settings: Readonly<Record<string, unknown>>;
  }>;

/** Only handlers may ask for them: routes are described before the control plane is open. */
export type Core = () => ExtensionNeeds;

/** What background work needs of the role that runs it. */
export type JobNeeds = Readonly<{
  log: Pick<Log, 'info' | 'warn' | 'error'>;
  /** Places of the log that the gateway of this process saw before it was started again. */
  seenBefore: readonly LogObservation[];
}>;

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
  /** Another way to sign in, as the login screen shows it; null while it is not set up. */
  singleSignOn?: () => SingleSignOn | null;
  /** Background work of role control. */
  jobs?: (needs: JobNeeds) => readonly Job[];
}>;
