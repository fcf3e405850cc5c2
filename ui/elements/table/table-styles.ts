// Styles of tables: dense rows, sticky head and sticky first column.

import { css } from 'lit';

export const tableStyles = css`
  .bar {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--space-2);
    margin-bottom: var(--space-2);
  }

  .filter {
    position: relative;
    flex: 0 1 18rem;
    min-width: 9rem;
  }

  .filter gw-icon {
    position: absolute;
    top: 0.5rem;
    left: 0.5rem;
    color: var(--text-3);
    pointer-events: none;
  }

  .filter input {
    padding-left: 1.75rem !important;
  }

  .count {
    color: var(--text-2);
    font-size: var(--text-s);
    font-variant-numeric: tabular-nums;
  }

  .end {
    display: flex;
    gap: var(--space-1);
    margin-left: auto;
  }

  .scroll {
    overflow: auto;
    max-height: var(--table-height, calc(100vh - 15rem));
    /* What has the focus is not below the head. */
    scroll-padding-top: 2.5rem;
    border: 1px solid var(--line);
    border-radius: var(--radius-l);
    background: var(--surface);
  }

  .marked > * {
    background: var(--bad-soft) !important;
  }

  .marked .first {
    box-shadow: inset 3px 0 var(--bad);
  }

  .stale {
    opacity: 0.6;
  }

  table {
    width: 100%;
    border-spacing: 0;
    border-collapse: separate;
  }

  th,
  td {
    max-width: 20rem;
    height: var(--row);
    padding: 0 0.75rem;
    overflow: hidden;
    border-bottom: 1px solid var(--line);
    text-align: left;
    text-overflow: ellipsis;
    white-space: nowrap;
  }

  thead th {
    position: sticky;
    top: 0;
    z-index: 2;
    height: 2rem;
    padding: 0;
    background: var(--sunken);
    color: var(--text-2);
    font-size: var(--text-s);
    font-weight: 500;
  }

  thead .fixed {
    padding: 0 0.75rem;
  }

  thead button {
    width: 100%;
    height: 2rem;
    justify-content: flex-start;
    padding: 0 0.75rem;
    border: 0;
    border-radius: 0;
    background: transparent;
    color: inherit;
    font-size: inherit;
  }

  thead button:focus-visible {
    outline-offset: -2px;
  }

  .end-cell {
    text-align: right;
    font-variant-numeric: tabular-nums;
  }

  thead .end-cell button {
    justify-content: flex-end;
  }

  tbody tr {
    background: var(--surface);
  }

  tbody tr:hover {
    background: var(--hover);
  }

  tbody tr.chosen {
    background: var(--accent-soft);
  }

  @media (forced-colors: active) {
    tbody tr.chosen {
      outline: 2px solid Highlight;
      outline-offset: -2px;
    }
  }

  tbody tr:last-child > * {
    border-bottom: 0;
  }

  .first {
    position: sticky;
    left: 0;
    z-index: 1;
    background: inherit;
    font-weight: 500;
  }

  thead .first {
    z-index: 3;
    background: var(--sunken);
  }

  tbody .first a {
    color: var(--text);
  }

  .tick {
    width: 2.25rem;
    padding: 0 0 0 0.75rem;
  }

  .tick input {
    display: block;
  }

  .spacer td {
    padding: 0;
    border: 0;
  }

  .linked {
    cursor: pointer;
  }

  .none {
    padding: var(--space-6);
    color: var(--text-2);
    text-align: center;
  }

  .pages {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: flex-end;
    gap: var(--space-2);
    margin-top: var(--space-2);
    color: var(--text-2);
    font-size: var(--text-s);
  }

  .pages select {
    width: auto;
  }

  /* All of it, in lines that break. */
  @media print {
    .scroll {
      max-height: none;
      overflow: visible;
      border-radius: 0;
    }

    .filter,
    .end,
    .pages {
      display: none;
    }

    .first,
    thead th {
      position: static;
    }

    th,
    td {
      overflow-wrap: anywhere;
      white-space: normal;
    }

    tr {
      break-inside: avoid;
    }
  }

  @media (max-width: 640px) {
    .first {
      max-width: 11rem;
    }

    td,
    tbody th,
    thead .fixed,
    thead button {
      padding: 0 0.5rem;
    }

    .filter {
      flex: 1 1 8rem;
    }

    .filter + .count {
      order: 1;
    }

    ::slotted(*) {
      order: 1;
      min-width: 0;
      max-width: 100%;
    }
  }

  /* A second link in a row needs a target of 24 pixels (WCAG 2.2, 2.5.8). */
  .roomy {
    display: inline-block;
    padding-block: 0.3125rem;
    margin-block: -0.3125rem;
  }

  .filters {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(10rem, 1fr));
    align-items: end;
    gap: var(--space-2);
    margin-bottom: var(--space-2);
    padding: var(--space-2) var(--space-3) var(--space-3);
    border: 1px solid var(--line);
    border-radius: var(--radius-l);
    background: var(--sunken);
  }

  .filters label {
    display: grid;
    gap: 0.125rem;
    min-width: 0;
    color: var(--text-2);
    font-size: var(--text-s);
  }

  .filters button {
    justify-self: start;
  }

  button.on {
    color: var(--accent-text);
  }

  .sort {
    width: auto;
    max-width: 9rem;
  }

  thead th {
    overflow: visible;
  }

  .edge {
    position: absolute;
    top: 0;
    right: -0.75rem;
    z-index: 1;
    width: 1.5rem;
    height: 100%;
    cursor: col-resize;
    touch-action: none;
  }

  .edge::after {
    position: absolute;
    inset: 0.5rem calc(50% - 0.5px);
    background: var(--line-strong);
    content: '';
  }

  .edge:hover::after,
  .edge:focus-visible::after {
    inset: 0 calc(50% - 1px);
    background: var(--accent);
  }

  .edge:focus-visible {
    outline-offset: -2px;
  }
`;
