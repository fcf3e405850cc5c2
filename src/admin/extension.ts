// Defines what an extension adds to the control plane. `extensions/control.ts` lists the
// extensions; the rest of the core does not import them.

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

/** Dependencies that the core provides to extensions. */
export type ExtensionNeeds = HistoryNeeds &
  Readonly<{
    past: PastStates;
    /** Looks up the credentials of a request. */
    credentials: Credentials;
    /** Number of times the log was reread because the database lost events. */
    rereads: () => number;
    /** Notifies listeners of new events in the log. */
    heads: Heads;
    program: Program;
    plane: Pick<
      ControlPlane,
      'db' | 'reports' | 'store' | 'execute' | 'measures' | 'vault' | 'refresh'
    >;
    access: AccessNeeds;
    /** Sends all outbound requests. */
    dispatcher: Dispatcher;
    notifier: Notifier;
    /** All settings by name. `valuesIn` selects those of a table. */
    settings: Readonly<Record<string, unknown>>;
  }>;

/** Available only to handlers, because routes are described before the control plane is open. */
export type Core = () => ExtensionNeeds;

/** Dependencies of background jobs, provided by the role that runs them. */
export type JobNeeds = Readonly<{
  log: Pick<Log, 'info' | 'warn' | 'error'>;
  /** Log positions that the gateway of this process had seen before the restart. */
  seenBefore: readonly LogObservation[];
}>;

export type Preview = Readonly<{
  record: z.ZodType;
  /** Null if it is unknown now. */
  of: (change: Readonly<{ before: ConfigState; after: ConfigState }>) => Promise<unknown>;
}>;

export type Extension = (core: Core) => Readonly<{
  /** Routes of the admin listener. `others` are the routes of the core. */
  routes?: (others: readonly ServedRoute[]) => readonly Route<ExtensionNeeds>[];
  /** Computes `what_if` in the preview of a restore. */
  preview?: Preview;
  /**
   * A way to sign in other than by password, for the login screen. Null if it is not configured.
   */
  singleSignOn?: () => SingleSignOn | null;
  /** Background jobs of role control. */
  jobs?: (needs: JobNeeds) => readonly Job[];
}>;
