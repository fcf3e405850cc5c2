// Defines what an extension adds to the control plane. Only `extensions/control.ts` imports the
// extensions.

import type { Dispatcher } from 'undici';
import type { z } from 'zod';

import type { ConfigState } from '../../projections/config/state.ts';
import type { Notifier } from '../control/webhooks/notify.ts';
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

export type ExtensionNeeds = HistoryNeeds &
  Readonly<{
    past: PastStates;
    credentials: Credentials;
    /** The log is reread when the database lost events. */
    rereads: () => number;
    heads: Heads;
    program: Program;
    plane: Pick<
      ControlPlane,
      'db' | 'reports' | 'reads' | 'store' | 'execute' | 'measures' | 'vault' | 'refresh'
    >;
    access: AccessNeeds;
    /** Sends all outbound requests. */
    dispatcher: Dispatcher;
    notifier: Notifier;
    /** By name. `valuesIn` selects those of a table. */
    settings: Readonly<Record<string, unknown>>;
  }>;

/** Only handlers may call this, because routes are described before the control plane is open. */
export type Core = () => ExtensionNeeds;

/** Provided by the role that runs the jobs. */
export type JobNeeds = Readonly<{
  log: Pick<Log, 'info' | 'warn' | 'error'>;
  /** Log positions that this process's gateway had seen before the restart. */
  seenBefore: readonly LogObservation[];
}>;

export type Preview = Readonly<{
  record: z.ZodType;
  /** Null if it is unknown now. */
  of: (change: Readonly<{ before: ConfigState; after: ConfigState }>) => Promise<unknown>;
}>;

export type Extension = (core: Core) => Readonly<{
  /** On the admin listener. `others` are the routes of the core. */
  routes?: (others: readonly ServedRoute[]) => readonly Route<ExtensionNeeds>[];
  /** Computes `what_if` in the preview of a restore. */
  preview?: Preview;
  /** For the login screen. Null if it is not configured. */
  singleSignOn?: () => SingleSignOn | null;
  /** Background jobs of role control. */
  jobs?: (needs: JobNeeds) => readonly Job[];
}>;
