// Runs `gw sync-prices`: the work of POST /admin/prices/sync on a database (specification, "Commands of the binary").

import { randomUUID } from 'node:crypto';

import { pricedIn, priceSyncBody } from '../admin/providers/prices.ts';
import type { PriceSyncRecord } from '../admin/providers/prices.ts';
import { withCommandPath } from '../control/commands/command-path.ts';
import type { CommandPath } from '../control/commands/command-path.ts';
import { createEgress } from '../egress/egress.ts';
import { createPlanPrices } from '../control/prices/price-sync.ts';
import type { PricePlaces, PriceSyncRequest } from '../control/prices/price-sync.ts';
import { isRefusal, refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import { readCaBundle } from './pem-files.ts';
import type { SettingValues } from './settings/settings-table.ts';
import { programVersion } from './version.ts';

export type PriceSyncGiven = PriceSyncRequest &
  Readonly<{
    databaseUrl: string;
    places: PricePlaces;
    egress: Pick<SettingValues, 'egressAllow' | 'egressDeny' | 'caBundle'>;
    dryRun: boolean;
  }>;

export async function syncPricesIn(given: PriceSyncGiven): Promise<PriceSyncRecord | Refusal> {
  const { databaseUrl, egress } = given;
  const ca = readCaBundle(egress);
  const lists = { allow: egress.egressAllow, deny: egress.egressDeny };
  const { dispatcher } = createEgress(lists, ca.length === 0 ? {} : { ca });
  const opening = { databaseUrl, appVersion: programVersion(), clock: Date.now };
  try {
    return await withCommandPath(opening, async (path) => {
      // This command does not start a log; a control plane or an import does.
      if (path.store.state().position === 0) {
        return refuse('absent', 'this database holds no configuration yet');
      }
      const readState = async () => path.store.state();
      const planPrices = createPlanPrices({ dispatcher, places: given.places, readState });
      const plan = await planPrices({ source: given.source, overwrite: given.overwrite });
      if (isRefusal(plan)) return plan;
      if (given.dryRun) return priceSyncBody(plan, { dryRun: true, isChanged: () => true });
      const outcome = await run(path, plan.command);
      if (isRefusal(outcome)) return outcome;
      return priceSyncBody(plan, { dryRun: false, isChanged: pricedIn(outcome.events) });
    });
  } finally {
    await dispatcher.destroy();
  }
}

type SyncCommand = Extract<
  Parameters<CommandPath['execute']>[0]['command'],
  { type: 'SyncPrices' }
>;

const run = ({ execute }: CommandPath, command: SyncCommand) =>
  execute(
    { command },
    {
      actor: { kind: 'cli', principal_id: null },
      action: 'CLI',
      target: 'sync-prices',
      requestId: randomUUID(),
      reason: null,
    },
  );
