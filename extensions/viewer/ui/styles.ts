// Lays out the viewer: its header, its start page and its sections.

import { css } from 'lit';

export const viewerStyles = css`
  header {
    position: sticky;
    top: 0;
    z-index: 10;
    display: flex;
    align-items: center;
    gap: var(--space-2);
    height: var(--header);
    padding: 0 var(--space-6);
    border-bottom: 1px solid var(--line);
    background: var(--ground);
  }

  .narrow {
    max-width: 50rem;
    margin: 0 auto;
  }

  .file {
    flex: 1;
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }

  .verdict {
    display: flex;
    gap: var(--space-2);
  }

  .verdict gw-icon {
    margin-top: 0.1875rem;
  }

  .verdict a {
    white-space: nowrap;
  }

  .bad {
    background: var(--bad-soft);
  }

  .bad gw-icon {
    color: var(--bad);
  }

  .holds {
    color: var(--good);
  }

  .progress {
    display: grid;
    justify-items: start;
    gap: var(--space-3);
  }

  progress {
    width: 100%;
    accent-color: var(--accent);
  }

  @media (max-width: 640px) {
    header {
      padding: 0 var(--space-3);
    }

    .wide {
      display: none;
    }
  }
`;
