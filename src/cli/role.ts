// Decides which composition root serves a role. Each is loaded only for its role: a proxy never loads the control plane.

import type { Running } from './lifetime.ts';
import { namingListener } from './listening.ts';
import type { Settings } from './settings.ts';

export type RunningAll = Running & Readonly<{ gatewayUrl: string; adminUrl: string }>;

export function runRole(settings: Settings): Promise<Running> {
  switch (settings.role) {
    case 'proxy':
      return runProxy(settings);
    case 'control':
      return runControl(settings);
    case 'all':
      return runAll(settings);
  }
}

async function runProxy(settings: Settings): Promise<Running> {
  const role = await import('./roles/proxy.ts');
  const { host, port } = settings;
  return namingListener({ flag: '--port', port, host }, role.runProxy(settings));
}

async function runControl(settings: Settings): Promise<Running> {
  const role = await import('./roles/control.ts');
  return role.runControl(settings);
}

export async function runAll(settings: Settings): Promise<RunningAll> {
  const role = await import('./roles/all.ts');
  return role.runAll(settings);
}
