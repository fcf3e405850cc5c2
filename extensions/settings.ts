// The settings of the extensions; see control.ts.

export type { SettingsPart } from '../src/cli/settings/setting.ts';
export { archiveSettings } from './archive/settings.ts';
export { evidenceSettings } from './evidence/settings.ts';
export { signOnSettings } from './sign-on/settings.ts';
