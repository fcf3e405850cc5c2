// Styles of charts: the plot, the legend and the table of values.

import { css } from 'lit';

export const chartStyles = css`
  figure {
    position: relative;
    margin: 0;
    min-width: 0;
  }

  .legend {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.125rem var(--space-4);
    min-height: 1.5rem;
    margin-top: var(--space-1);
    color: var(--text-2);
    font-size: var(--text-s);
    font-variant-numeric: tabular-nums;
  }

  .legend li {
    display: flex;
    align-items: center;
    gap: 0.375rem;
  }

  .legend .at {
    margin-left: auto;
  }

  .legend svg {
    flex: none;
    width: 1.25rem;
    height: 0.5rem;
  }

  .legend strong {
    color: var(--text);
    font-weight: 500;
  }

  /* In the line of the panel's title. */
  .turns {
    position: absolute;
    top: -1.9375rem;
    right: -0.375rem;
    display: flex;
  }

  .turns button {
    height: 1.5rem;
    padding: 0 0.375rem;
    color: var(--text-2);
    font-size: var(--text-s);
  }

  .turns [aria-pressed='true'] {
    color: var(--accent-text);
    font-weight: 600;
  }

  .legend .line {
    height: 1.5rem;
    padding: 0 0.25rem;
    margin-inline: -0.25rem;
    color: inherit;
    font: inherit;
  }

  .line[aria-pressed='false'] {
    text-decoration: line-through;
  }

  .line[aria-pressed='false'] svg {
    opacity: 0.3;
  }

  .none {
    display: grid;
    place-items: center;
    min-height: var(--plot-height);
    color: var(--text-2);
  }

  .plot {
    min-height: var(--plot-height);
  }

  /* Covers the plot; only the marks take the pointer. */
  gw-chart-markers {
    position: absolute;
    top: var(--plot-area-top);
    left: var(--plot-area-left);
    width: var(--plot-area-width);
    height: var(--plot-area-height);
    pointer-events: none;
  }

  .zone {
    position: absolute;
    top: calc(var(--plot-height) - 1.25rem);
    left: 0;
    width: 3.125rem;
    color: var(--text-3);
    font-size: 0.6875rem;
    line-height: 1;
    white-space: nowrap;
    pointer-events: none;
  }

  .zone.long {
    font-size: 0.5625rem;
  }

  .values {
    height: var(--plot-height);
    overflow: auto;
    border: 1px solid var(--line);
    border-radius: var(--radius-m);
  }

  table {
    width: 100%;
    border-collapse: collapse;
    font-size: var(--text-s);
    font-variant-numeric: tabular-nums;
  }

  th,
  td {
    padding: 0.1875rem 0.5rem;
    border-bottom: 1px solid var(--line);
    font-weight: 400;
    text-align: right;
    white-space: nowrap;
  }

  thead th {
    position: sticky;
    top: 0;
    background: var(--sunken);
    color: var(--text-2);
  }

  th:first-child {
    text-align: left;
  }

  .u-select {
    background: var(--accent-soft);
    opacity: 0.5;
  }
`;
