// Draws the menu that copies a record in a chosen format.

import { html, nothing } from 'lit';

import { allNouns } from '../../events/nouns.ts';
import { asFailure } from '../api/http/failure.ts';
import { copyText } from '../elements/copy-text.ts';
import '../elements/overlay/menu.ts';
import { recordLabels, textsOfRecord } from '../lib/saves/copy-record.ts';
import type { CopyText, Names } from '../lib/saves/copy-record.ts';
import { apiBase, isOneFile } from '../state/base.ts';
import { notify } from '../state/toasts.ts';

/** Pools have their own list. */
const listOf = (screen: string): string | undefined =>
  allNouns.find((one) =>
    screen === 'pools'
      ? one.noun === 'pool'
      : one.screen?.name === screen && one.screen.part === null,
  )?.paths[0];

type Identified = Readonly<{ id: number }>;

/**
 * Nothing if the screen has no list. `asked` loads the names that the record refers to, on demand.
 */
export function copyRecord(screen: string, record: Identified, asked?: () => Promise<Names>) {
  const list = listOf(screen);
  if (list === undefined || isOneFile) return nothing;
  const origin = new URL(apiBase, globalThis.location.href).href.replace(/\/$/, '');
  const textsWith = (names?: Names) =>
    textsOfRecord(record, {
      list,
      id: record.id,
      origin,
      ...(names === undefined ? {} : { names }),
    });
  const labels = asked === undefined ? textsWith().map(({ label }) => label) : recordLabels;
  return html`<gw-menu
    slot="actions"
    plain
    icon="copy"
    label="Copy as"
    .items=${labels.map((label) => ({ value: label, label: `Copy as ${label}` }))}
    @gw-choose=${async ({ detail }: CustomEvent<string>) => {
      notify({ text: await copied(detail, async () => textsWith(await asked?.())) });
    }}
  ></gw-menu>`;
}

async function copied(
  chosen: string,
  textsOf: () => Promise<readonly CopyText[]>,
): Promise<string> {
  try {
    const text = (await textsOf()).find(({ label }) => label === chosen)?.text;
    if (text === undefined) return 'Cannot copy: the record refers to deleted records';
    return (await copyText(text)) ? `Copied as ${chosen}` : 'The browser does not allow copying';
  } catch (error) {
    return `Could not copy: ${asFailure(error).message}`;
  }
}
