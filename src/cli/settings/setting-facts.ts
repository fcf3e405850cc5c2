// Shows the effective value of each setting, without secrets and without users in addresses.

import type { SettingFact } from '../../admin/operations/program.ts';
import { settingNames } from './settings.ts';
import type { Settings } from './settings.ts';
import { settingsTable } from './settings-table.ts';
import { longFlag } from './setting.ts';
import type { Setting } from './setting.ts';
import type { SettingName } from './settings-table.ts';

export const settingFacts = (settings: Settings): readonly SettingFact[] =>
  settingNames().map((name) => settingFact(settings, name));

function settingFact(settings: Settings, name: SettingName): SettingFact {
  const setting: Setting = settingsTable[name];
  const value = settings[name];
  return {
    name,
    flag: setting.flag === null ? null : longFlag(setting),
    variable: setting.variable,
    description: setting.description,
    unit: setting.unit,
    source: settings.sources[name],
    is_secret: setting.secret,
    is_set: value !== null,
    value: setting.secret || value === null ? null : shown(value),
  };
}

type Value = Exclude<SettingFact['value'], null>;

function shown(value: Value): Value {
  if (typeof value !== 'string' || !URL.canParse(value)) return value;
  const url = new URL(value);
  if (url.username === '' && url.password === '') return value;
  url.username = '';
  url.password = '';
  return url.href;
}
