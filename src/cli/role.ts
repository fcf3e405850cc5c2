// Runs a role. Imports only that role's code: a proxy never loads the control plane.

import type { Running } from './lifetime.ts';
import type { AllExtras, RunningAll } from './roles/all.ts';
import { namingListener } from './listening.ts';
import { logToStderr } from './printing/log-to-stderr.ts';
import type { Settings } from './settings/settings.ts';
import type { WorkerSide } from './workers/worker.ts';

/** `worker` is set in a worker process. */
export function runRole(settings: Settings, worker: WorkerSide | null = null): Promise<Running> {
  switch (settings.role) {
    case 'proxy':
      return worker === null && settings.workers > 1
        ? runWorkers(settings)
        : runProxy(settings, worker);
    case 'control':
      return runControl(settings);
    case 'all':
      return runAll(settings);
  }
}

async function runWorkers(settings: Settings): Promise<Running> {
  const { startWorkers } = await import('./workers/parent.ts');
  return startWorkers({ ...settings, log: logToStderr(settings) });
}

async function runProxy(settings: Settings, worker: WorkerSide | null): Promise<Running> {
  const role = await import('./roles/proxy.ts');
  const { host, port } = settings;
  return namingListener({ flag: '--port', port, host }, role.runProxy(settings, { worker }));
}

async function runControl(settings: Settings): Promise<Running> {
  const role = await import('./roles/control.ts');
  return role.runControl(settings);
}

export async function runAll(settings: Settings, extras: AllExtras = {}): Promise<RunningAll> {
  const role = await import('./roles/all.ts');
  return role.runAll(settings, extras);
}
