// Lays out rules and dry run: in two columns if there is room, otherwise one below the other.

import { css } from 'lit';

export const workspaceStyles = css`
  .columns {
    display: grid;
    grid-template-columns: minmax(0, 1fr) minmax(18rem, 24rem);
    align-items: start;
    gap: var(--space-5);
  }

  aside {
    position: sticky;
    top: calc(var(--header) + var(--space-4));
    min-width: 0;
  }

  .head {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--space-2);
    min-height: var(--control);
    margin-bottom: var(--space-2);
  }

  .fill {
    flex: 1;
  }

  .unpublished {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--space-2);
    margin-bottom: var(--space-3);
    padding: var(--space-2) var(--space-3);
    border-radius: var(--radius-m);
    background: var(--warn-soft);
  }

  .unpublished span {
    flex: 1 1 14rem;
  }

  gw-empty {
    margin-bottom: var(--space-2);
  }

  .new {
    margin-bottom: var(--space-3);
    padding: var(--space-3) var(--space-4) var(--space-4);
    border: 1px solid var(--accent);
    border-radius: var(--radius-l);
    background: var(--surface);
  }

  .new h3 {
    margin-bottom: var(--space-3);
  }

  @media (max-width: 1100px) {
    .columns {
      grid-template-columns: minmax(0, 1fr);
    }

    aside {
      position: static;
    }
  }
`;
