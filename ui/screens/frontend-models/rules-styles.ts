// Styles the cards of rules: conditions on the left, targets on the right.

import { css } from 'lit';

export const rulesStyles = css`
  .rules {
    display: grid;
    gap: var(--space-2);
    counter-reset: none;
  }

  .rule {
    position: relative;
    min-width: 0;
    border: 1px solid var(--line);
    border-radius: var(--radius-l);
    background: var(--surface);
    box-shadow: var(--shadow-1);
  }

  .rule.last {
    margin-top: var(--space-2);
    border-style: dashed;
    border-color: var(--line-strong);
    box-shadow: none;
  }

  .rule.decides {
    border-color: var(--good);
    border-style: solid;
  }

  .rule.marked {
    border-color: var(--info);
    border-style: solid;
    box-shadow: 0 0 0 1px var(--info);
  }

  .rule.dragged {
    opacity: 0.5;
  }

  .rule.before::before,
  .rule.after::after {
    position: absolute;
    right: 0;
    left: 0;
    height: 2px;
    border-radius: 1px;
    background: var(--accent);
    content: '';
  }

  .rule.before::before {
    top: -0.375rem;
  }

  .rule.after::after {
    bottom: -0.375rem;
  }

  header {
    display: flex;
    align-items: center;
    gap: var(--space-2);
    flex-wrap: wrap;
    min-height: 2.375rem;
    padding: 0.1875rem var(--space-2) 0.1875rem var(--space-3);
  }

  header .grip {
    width: 1.5rem;
    margin-left: calc(-1 * var(--space-2));
    color: var(--text-3);
    cursor: grab;
    touch-action: none;
  }

  .dragged .grip {
    cursor: grabbing;
  }

  a.button.plain {
    border-color: transparent;
    background: transparent;
    color: var(--text-2);
  }

  a.button.plain:hover {
    background: var(--hover);
    color: var(--text);
  }

  .number,
  .named {
    font-weight: 600;
  }

  .named {
    min-width: 0;
    overflow-wrap: anywhere;
  }

  .rule.off {
    background: var(--sunken);
    box-shadow: none;
  }

  .switch {
    position: relative;
    flex: none;
    width: 1.875rem;
    min-width: 0;
    height: 1.125rem;
    min-height: 0;
    margin-right: var(--space-1);
    padding: 0;
    border: 1px solid var(--line-strong);
    border-radius: 1rem;
    background: var(--hover);
  }

  .switch::after {
    position: absolute;
    top: 0.125rem;
    left: 0.125rem;
    width: 0.75rem;
    height: 0.75rem;
    border-radius: 50%;
    background: var(--text-3);
    content: '';
    transition: transform 120ms;
  }

  .switch[aria-checked='true'] {
    border-color: var(--accent);
    background: var(--accent);
  }

  .switch[aria-checked='true']::after {
    background: var(--surface);
    transform: translateX(0.75rem);
  }

  .actions {
    display: flex;
    align-items: center;
    gap: var(--space-2);
    margin-left: auto;
  }

  .tag {
    color: var(--text-2);
    font-size: var(--text-s);
  }

  .body {
    display: grid;
    gap: var(--space-2);
    padding: 0 var(--space-3) var(--space-3);
  }

  .form {
    padding: 0 var(--space-4) var(--space-4);
  }

  .side {
    display: grid;
    grid-template-columns: 4.75rem minmax(0, 1fr);
    align-items: baseline;
    gap: var(--space-2);
  }

  .word {
    color: var(--text-2);
    font-size: var(--text-s);
  }

  .chips,
  .chain {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem;
  }

  .chip,
  .target {
    display: inline-flex;
    flex-wrap: wrap;
    align-items: baseline;
    gap: 0.25rem;
    max-width: 100%;
    padding: 0.0625rem 0.4375rem;
    border: 1px solid var(--line);
    border-radius: var(--radius-s);
    background: var(--sunken);
    overflow-wrap: anywhere;
  }

  .side > .target {
    justify-self: start;
  }

  .chip.any {
    border-style: dashed;
    color: var(--text-2);
  }

  .chip {
    flex-wrap: nowrap;
  }

  .chip gw-icon {
    align-self: center;
    color: var(--good);
  }

  .chip.failed {
    color: var(--text-2);
  }

  .chip.failed gw-icon {
    color: var(--warn);
  }

  .chain li {
    display: flex;
    align-items: baseline;
    gap: 0.25rem;
    max-width: 100%;
  }

  .chain gw-icon {
    align-self: center;
    color: var(--text-3);
  }

  .target .note {
    color: var(--text-2);
    font-size: var(--text-s);
  }

  .target.gone {
    border-color: var(--warn);
    color: var(--text-2);
  }

  .jump {
    display: inline-flex;
    align-items: center;
    gap: 0.25rem;
    font-weight: 500;
  }

  @media (max-width: 640px) {
    .side {
      grid-template-columns: minmax(0, 1fr);
      gap: 0.125rem;
    }

    .tag {
      display: none;
    }
  }
`;
