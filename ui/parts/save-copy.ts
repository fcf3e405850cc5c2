// Draws the menu that copies the request of a save as a command.

import { html, nothing } from 'lit';

import type { Prepared } from '../api/http/call.ts';
import { copyText } from '../elements/copy-text.ts';
import '../elements/overlay/menu.ts';
import { curlCommand, gwCommand, sessionNote, yamlOf } from '../lib/saves/copy-as.ts';
import { apiBase } from '../state/base.ts';
import { notify } from '../state/toasts.ts';

function textsOf(prepared: Prepared, reason: string) {
  const request = { ...prepared, reason };
  const origin = new URL(apiBase, globalThis.location.href).href.replace(/\/$/, '');
  const texts = [
    { label: 'curl', text: `${sessionNote(origin)}${curlCommand(request, origin)}` },
    { label: 'gw command', text: gwCommand(request) },
    { label: 'YAML', text: yamlOf(request) },
  ];
  return texts.flatMap(({ label, text }) =>
    text === null ? [] : [{ value: label, label: `Copy as ${label}`, text }],
  );
}

/** Nothing if the request is not known in advance. */
export function copySave(prepared: Prepared | null, reason: string) {
  if (prepared === null) return nothing;
  const texts = textsOf(prepared, reason);
  return html`<gw-menu
    plain
    icon="copy"
    text="Copy as"
    label="Copy as"
    .items=${texts}
    @gw-choose=${async ({ detail }: CustomEvent<string>) => {
      const chosen = texts.find(({ value }) => value === detail);
      if (chosen === undefined) return;
      const isCopied = await copyText(chosen.text);
      notify({
        text: isCopied ? `Copied as ${chosen.value}` : 'The browser does not allow copying',
      });
    }}
  ></gw-menu>`;
}
