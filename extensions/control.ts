// The extensions of the control plane. Delete a folder of this directory and its line here, and gw works without it.

export { playground } from './playground/extension.ts';
