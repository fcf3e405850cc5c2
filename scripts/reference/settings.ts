// Builds the page of the settings.

import { agentSettings } from '../../src/cli/settings/agent-settings.ts';
import { operatorSettings } from '../../src/cli/settings/operator-settings.ts';
import type { Setting, SettingTable } from '../../src/cli/settings/setting.ts';
import { settingsTable } from '../../src/cli/settings/settings-table.ts';
import { code, generated, page, table } from './markdown.ts';

export const settingsPage = (): string =>
  page([
    '# Settings',
    generated,
    [
      'Each setting is a flag or an environment variable; the flag takes precedence. A secret',
      'is never shown, and can be read from a file that `<variable>_FILE` names; given as a flag,',
      'every user of the machine sees it in the process list, and gw warns at the start.',
      '`GET /admin/config` shows the value and source of each. A wrong value',
      'ends the program with exit code 2 and a line that names it.',
    ].join('\n'),
    '## Serving roles',
    settings(settingsTable),
    '## The host agent',
    'The settings of `gw agent`.',
    settings(agentSettings),
    '## The operator',
    'The settings of `gw operator`.',
    settings(operatorSettings),
  ]);

const settings = (entries: SettingTable): string =>
  table(
    ['flag', 'variable', 'default', 'meaning'],
    Object.values(entries).map((setting) => [
      setting.flag === null ? '–' : code(setting.flag.split(',').at(-1) ?? ''),
      code(setting.variable) + (setting.secret ? ' (secret)' : ''),
      standard(setting),
      setting.description + (setting.repeatable ? '; comma-separated or repeated' : ''),
    ]),
  );

function standard({ fallback, unit }: Setting): string {
  if (fallback === null) return '–';
  const text = Array.isArray(fallback)
    ? fallback.join(',')
    : JSON.stringify(fallback).replaceAll('"', '');
  if (text === '') return '–';
  return code(text) + (unit === null ? '' : ` ${unit}`);
}
