// What an extension adds to the control plane. `extensions/control.ts` lists the extensions; nothing else of the core imports them.

import type { z } from 'zod';

import type { ConfigState } from '../../projections/config/state.ts';
import type { Control } from './control.ts';
import type { Route, ServedRoute } from './http/route.ts';

/** The parts of the control plane. Only handlers may ask for them: routes are described before the control plane is open. */
export type Core = () => Control;

export type Preview = Readonly<{
  record: z.ZodType;
  /** Null when it cannot be said now. */
  of: (change: Readonly<{ before: ConfigState; after: ConfigState }>) => Promise<unknown>;
}>;

export type Extension = (core: Core) => Readonly<{
  /** Of the admin listener. `others` are the routes of the core. */
  routes?: (others: readonly ServedRoute[]) => readonly Route<unknown>[];
  /** What the preview of a restore says under `what_if`. */
  preview?: Preview;
}>;
