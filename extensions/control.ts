// The extensions of the control plane. Delete a folder of this directory and its lines in control.ts and cli.ts, and gw works without it.

export type { Extension } from '../src/admin/extension.ts';
export { archive } from './archive/extension.ts';
export { changeRequests } from './change-requests/extension.ts';
export { evidence } from './evidence/extension.ts';
export { history } from './history/extension.ts';
export { playground } from './playground/extension.ts';
export { requests } from './requests/extension.ts';
export { signOn } from './sign-on/extension.ts';
export { whatIf } from './what-if/extension.ts';
