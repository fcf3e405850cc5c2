// Shares what a change, an event and a version have in common: loading by position, links and facts.

import { LitElement, css, html } from 'lit';
import type { PropertyDeclarations, PropertyValues } from 'lit';

import { asFailure } from '../../../ui/api/http/failure.ts';
import type { ApiFailure } from '../../../ui/api/http/failure.ts';
import { diffSnapshots } from '../../../ui/api/snapshots.ts';
import type { SnapshotDiff } from '../../../ui/api/snapshots.ts';
import '../../../ui/elements/copy.ts';
import '../../../ui/elements/empty.ts';
import '../../../ui/elements/error.ts';
import '../../../ui/elements/icon.ts';
import { loaded, failureNotice } from '../../../ui/elements/loaded.ts';
import { Resource } from '../../../ui/elements/resource.ts';
import '../../../ui/elements/time.ts';
import '../../../ui/parts/differences.ts';
import { base, buttons } from '../../../ui/styles/base.ts';
import { linkTo } from '../../../ui/state/location.ts';
import { record } from '../../../ui/styles/record.ts';

const differencesMax = 200;

/** An ApiFailure if the differences could not be loaded; the rest of the record is shown. */
export type Told = SnapshotDiff | ApiFailure;

type Ends = Readonly<{ from: number; to: number }>;

export const tellDifference = (ends: Ends, signal: AbortSignal): Promise<Told> =>
  diffSnapshots(ends, { limit: differencesMax }, signal).then(({ body }) => body, asFailure);

/** Absolute, so that it can be shared. */
export const permalink = (href: string): string => new URL(href, globalThis.location.href).href;

/** Each fact has its label. */
export type Facts = readonly (readonly [unknown, unknown])[];

export abstract class HistoryRecord<Loaded> extends LitElement {
  static override properties: PropertyDeclarations = { position: { type: Number } };
  static override styles = [
    base,
    buttons,
    record,
    css`
      .ways {
        display: flex;
        flex-wrap: wrap;
        gap: var(--space-2);
        margin-bottom: var(--space-4);
      }

      @media print {
        .ways {
          display: none;
        }
      }
    `,
  ];
  /** A version is the position of its event. */
  declare position: number;
  readonly #loaded = new Resource(this, (signal) => this.load(this.position, signal));

  protected abstract load(position: number, signal: AbortSignal): Promise<Loaded>;
  protected abstract loaded(loaded: Loaded): unknown;

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.get('position') !== undefined) void this.#loaded.reload();
  }

  protected override render() {
    return this.#loaded.failure === null
      ? loaded(this.#loaded, (value) => this.loaded(value))
      : failureNotice(this.#loaded);
  }

  protected facts(facts: Facts) {
    return html`<dl>
      ${facts.map(
        ([name, value]) =>
          html`<dt>${name}</dt>
            <dd>${value}</dd>`,
      )}
    </dl>`;
  }

  /** Text that can be copied; `label` names it. */
  protected exact(text: string, label: string) {
    return html`<code>${text}</code><gw-copy text=${text} label=${label}></gw-copy>`;
  }

  protected differences(told: Told | null) {
    if (told instanceof Error) return html`<gw-error .failure=${told}></gw-error>`;
    const ends =
      told === null ? {} : { from: String(told.from.position), to: String(told.to.position) };
    return html`<gw-differences
      whole=${linkTo({ screen: 'history', rest: ['diff'], query: ends })}
      .differences=${told?.differences ?? []}
      .total=${told?.total ?? 0}
    ></gw-differences>`;
  }
}
