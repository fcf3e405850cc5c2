// Styles of a record in a drawer: facts in two columns, sections with actions, and notices.

import { css } from 'lit';

export const record = css`
  dl {
    display: grid;
    grid-template-columns: 8.5rem minmax(0, 1fr);
  }

  dt,
  dd {
    min-height: 2rem;
    padding: 0.3125rem 0;
    border-bottom: 1px solid var(--line);
    overflow-wrap: anywhere;
  }

  dt {
    padding-right: var(--space-2);
    color: var(--text-2);
  }

  dd a,
  p a,
  .rows span a {
    text-decoration: underline;
    text-decoration-color: var(--line-strong);
    text-underline-offset: 0.1875rem;
  }

  .section {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--space-2);
    min-height: var(--control);
    margin: var(--space-6) 0 var(--space-2);
  }

  .section :is(h2, h3) {
    flex: 1;
    font-size: var(--text-m);
  }

  .notice {
    margin-bottom: var(--space-3);
    padding: var(--space-2) var(--space-3);
    border-radius: var(--radius-m);
    background: var(--info-soft);
  }

  gw-form .notice {
    margin-bottom: 0;
  }

  .notice.warn {
    background: var(--warn-soft);
  }

  .rows {
    border: 1px solid var(--line);
    border-radius: var(--radius-m);
  }

  .rows li {
    display: flex;
    align-items: center;
    gap: var(--space-2);
    min-height: 2.25rem;
    padding: 0.1875rem var(--space-2) 0.1875rem var(--space-3);
    border-bottom: 1px solid var(--line);
    overflow-wrap: anywhere;
  }

  .rows li:last-child {
    border-bottom: 0;
  }

  .rows .end {
    margin-left: auto;
  }

  .tall {
    --text-height: 16rem;
  }

  .pair {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr));
    gap: var(--space-3);
  }

  .three {
    display: grid;
    grid-template-columns: repeat(3, minmax(0, 1fr));
    gap: var(--space-3);
  }
`;
