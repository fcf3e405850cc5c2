// Runs `what-if` on a database, with the same route handler as POST /admin/what-if.

import { randomUUID } from 'node:crypto';

import { noEntity } from '../../../src/admin/http/entity.ts';
import { openAdmin } from '../../../src/admin/open.ts';
import type { Admin } from '../../../src/admin/open.ts';
import type { Call } from '../../../src/admin/http/route.ts';
import { whatIfRecord } from '../record.ts';
import type { WhatIfRecord } from '../record.ts';
import { createEgress } from '../../../src/egress/egress.ts';
import { noNotifier } from '../../../src/control/webhooks/notify.ts';
import type { ControlPlane } from '../../../src/control/plane.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import type { Refusal } from '../../../src/lib/refusal.ts';
import { readCaBundle } from '../../../src/cli/pem-files.ts';
import type { SettingValues } from '../../../src/cli/settings/settings-table.ts';
import { programVersion } from '../../../src/cli/version.ts';

type Egress = Pick<SettingValues, 'egressAllow' | 'egressDeny' | 'caBundle'>;
type Prices = Pick<SettingValues, 'priceAggregatorUrl' | 'priceCatalogueUrl'>;

/** `asked` is the request body, which the route validates. */
export async function whatIfIn(
  plane: ControlPlane,
  settings: Egress & Prices,
  asked: unknown,
): Promise<WhatIfRecord | Refusal> {
  const ca = readCaBundle(settings);
  const lists = { allow: settings.egressAllow, deny: settings.egressDeny };
  const egress = createEgress(lists, ca.length === 0 ? {} : { ca });
  const admin = openAdmin({
    plane,
    proxyTokens: [],
    tls: null,
    egress,
    notifier: noNotifier,
    pricePlaces: {
      aggregator: settings.priceAggregatorUrl,
      catalogue: settings.priceCatalogueUrl,
    },
    clock: Date.now,
    log: silent,
    program: {
      role: 'control',
      version: programVersion(),
      settings: [],
      uptimeSeconds: () => process.uptime(),
      isLeaving: () => false,
      backends: () => [],
    },
  });
  try {
    return await runRoute(admin, plane, asked);
  } finally {
    await admin.close(0);
    await egress.dispatcher.destroy();
  }
}

const untold = (): void => {};
/** A failure becomes the answer. */
const silent = { warn: untold, error: untold };

/** Anyone with access to the database has all permissions. */
const commandLine: Omit<Call, 'config'> = {
  caller: { kind: 'anonymous' },
  permission: 'open',
  method: 'POST',
  path: '/admin/what-if',
  requestId: randomUUID(),
  address: '',
  headers: {},
  entity: noEntity,
  once: null,
  ended: async () => null,
  isForced: false,
  signal: () => new AbortController().signal,
};

async function runRoute(
  { routes }: Admin,
  { store: { state }, refresh, execute, past }: ControlPlane,
  body: unknown,
): Promise<WhatIfRecord | Refusal> {
  const route = routes.find(({ operation }) => operation === 'whatIf');
  const call = { ...commandLine, config: { state, refresh, execute, past } };
  const answer = await route?.run(call, { params: {}, query: {}, body });
  if (isRefusal(answer)) return answer;
  if (answer === undefined || !('body' in answer)) throw new Error('the what-if has no answer');
  return whatIfRecord.parse(answer.body);
}
