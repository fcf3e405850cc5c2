// Builds the answer for a request that no model may serve.

import type { Route } from './route.ts';

export type Denial = Readonly<{ status: number; message: string }>;

/** Null when there is a chain. */
export function denialOf(route: Route, model: string): Denial | null {
  switch (route.kind) {
    case 'chain':
      return null;
    case 'deny':
      return { status: route.status, message: route.message };
    case 'ungranted':
      return {
        status: 403,
        message: `the caller has no permission to invoke model ${route.model.name}`,
      };
    case 'out':
      return { status: 502, message: `no backend of model ${route.model.name} is in rotation` };
    case 'absent':
      return { status: 404, message: `model ${JSON.stringify(model)} is not served` };
  }
}
