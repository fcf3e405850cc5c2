// What an extension adds to the control plane. `extensions/control.ts` lists the extensions; nothing else of the core imports them.

import type { Control } from './control.ts';
import type { Route, ServedRoute } from './http/route.ts';

/** The parts of the control plane. Only handlers may ask for them: routes are described before the control plane is open. */
export type Core = () => Control;

export type Extension = Readonly<{
  /** Of the admin listener. `others` are the routes of the core. */
  routes?: (core: Core, others: readonly ServedRoute[]) => readonly Route<unknown>[];
}>;
