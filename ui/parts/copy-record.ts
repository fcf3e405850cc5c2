// The button of a record by which it is copied, in the form that is chosen.

import { html, nothing } from 'lit';

import { copyText } from '../elements/copy-text.ts';
import '../elements/menu.ts';
import { textsOfRecord } from '../lib/copy-record.ts';
import type { Names } from '../lib/copy-record.ts';
import { apiBase, isOneFile } from '../state/base.ts';
import { notify } from '../state/toasts.ts';

/** Which list of the API a screen's records are of. */
const lists: Readonly<Record<string, string>> = {
  providers: 'providers',
  models: 'provider-models',
  'frontend-models': 'frontend-models',
  pools: 'model-pools',
  'prompt-classes': 'prompt-classes',
  'mcp-servers': 'mcp-servers',
  agents: 'a2a-agents',
  keys: 'keys',
  principals: 'principals',
  roles: 'roles',
};

type Identified = Readonly<{ id: number }>;

/** In the head of a drawer or a page; nothing where the screen has no list of its own. */
export function copyRecord(screen: string, record: Identified, names?: Names) {
  const list = lists[screen];
  if (list === undefined || isOneFile) return nothing;
  const origin = new URL(apiBase, globalThis.location.href).href.replace(/\/$/, '');
  const asked = { list, id: record.id, origin, ...(names === undefined ? {} : { names }) };
  const texts = textsOfRecord(record, asked);
  return html`<gw-menu
    slot="actions"
    plain
    icon="copy"
    label="Copy as"
    .items=${texts.map(({ label }) => ({ value: label, label: `Copy as ${label}` }))}
    @gw-choose=${async ({ detail }: CustomEvent<string>) => {
      const text = texts.find(({ label }) => label === detail)?.text ?? '';
      const isCopied = await copyText(text);
      notify({ text: isCopied ? `Copied as ${detail}` : 'The browser allows no copying' });
    }}
  ></gw-menu>`;
}
