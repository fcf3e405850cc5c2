// Widths of columns, set by dragging or with arrow keys. The browser stores them.

import { html } from 'lit';
import type { ReactiveController, ReactiveControllerHost } from 'lit';

const name = 'gw-widths';
const [leastPx, mostPx, stepPx] = [64, 960, 16];
/** The oldest widths beyond this number are dropped. */
const keptMax = 200;

type Widths = Readonly<Record<string, number>>;
type Host = ReactiveControllerHost & HTMLElement & Readonly<{ label: string }>;

function readWidths(): Widths {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(name) ?? '{}');
    return Object.fromEntries(
      Object.entries(Object(read)).filter((one): one is [string, number] => isWidth(one[1])),
    );
  } catch {
    return {};
  }
}

const isWidth = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);

export class ColumnWidths implements ReactiveController {
  readonly #host: Host;
  readonly #sheet = new CSSStyleSheet();
  #widths: Widths = readWidths();
  #drag: Readonly<{ fromPx: number; widthPx: number }> | null = null;

  constructor(host: Host) {
    this.#host = host;
    host.addController(this);
  }

  hostUpdate(): void {
    const start = `${this.#host.label}/`;
    const rules = Object.entries(this.#widths).flatMap(([key, px]) => {
      if (!key.startsWith(start)) return [];
      const cell = `.table [data-column="${CSS.escape(key.slice(start.length))}"]`;
      return [`${cell} { width: ${px}px; min-width: ${px}px; max-width: ${px}px }`];
    });
    this.#sheet.replaceSync(rules.join(' '));
    const root = this.#host.shadowRoot;
    if (root === null || root.adoptedStyleSheets.includes(this.#sheet)) return;
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, this.#sheet];
  }

  edge({ id, label }: Readonly<{ id: string; label: string }>) {
    const width = this.#widths[this.#keyOf(id)];
    return html`<span
      class="edge"
      role="separator"
      tabindex="0"
      aria-orientation="vertical"
      aria-label="Column width"
      aria-valuemin=${leastPx}
      aria-valuemax=${mostPx}
      aria-valuenow=${width ?? leastPx}
      aria-valuetext="${label}: ${width === undefined ? 'automatic' : `${width} pixels`}"
      title="Drag, or use the arrow keys. Double-click, or press Enter, for the automatic width."
      @keydown=${(event: KeyboardEvent) => this.#onKey(event, id)}
      @dblclick=${() => this.#set(id, null)}
      @pointerdown=${this.#onDown}
      @pointermove=${(event: PointerEvent) => this.#onMove(event, id)}
      @pointerup=${this.#onUp}
      @pointercancel=${this.#onUp}
    ></span>`;
  }

  #keyOf(id: string): string {
    return `${this.#host.label}/${id}`;
  }

  #onKey(event: KeyboardEvent, id: string): void {
    const step = { ArrowLeft: -stepPx, ArrowRight: stepPx }[event.key];
    if (step === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    this.#set(id, step === undefined ? null : widthOf(event) + step);
  }

  readonly #onDown = (event: PointerEvent): void => {
    if (event.button !== 0 || !(event.currentTarget instanceof HTMLElement)) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    this.#drag = { fromPx: event.clientX, widthPx: widthOf(event) };
  };

  #onMove({ clientX }: PointerEvent, id: string): void {
    if (this.#drag !== null) this.#set(id, this.#drag.widthPx + clientX - this.#drag.fromPx);
  }

  readonly #onUp = (): void => {
    this.#drag = null;
  };

  /** Null is the automatic width. */
  #set(id: string, px: number | null): void {
    const { [this.#keyOf(id)]: _before, ...others } = { ...readWidths(), ...this.#widths };
    const kept = Object.entries(others).slice(-keptMax);
    const width = px === null ? [] : [[this.#keyOf(id), bounded(px)] as const];
    this.#widths = Object.fromEntries([...kept, ...width]);
    this.#host.requestUpdate();
    try {
      localStorage.setItem(name, JSON.stringify(this.#widths));
    } catch {
      // Without storage, the widths last until the page is left.
    }
  }
}

const bounded = (px: number): number => Math.round(Math.min(mostPx, Math.max(leastPx, px)));

function widthOf({ currentTarget }: Event): number {
  const cell = currentTarget instanceof HTMLElement ? currentTarget.closest('th') : null;
  return cell?.getBoundingClientRect().width ?? leastPx;
}
