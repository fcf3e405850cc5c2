// What an extension adds to the management UI: `extensions/<name>/ui/extension.ts` exports one. Its screens are the files in
// `extensions/<name>/ui/screens/`.

import type { TemplateResult } from 'lit';

import type { IconName } from './icons.ts';

export type Screen = Readonly<{
  /** Its segment in the address, and the name of its file and element: `gw-screen-<name>`. */
  name: string;
  title: string;
  icon: IconName;
  group: 'Now' | 'Routing' | 'Tools' | 'Access' | 'Evidence' | 'System';
  /** Pressed after `g`. */
  key: string;
  /** Only where something manages this process. */
  managed?: true;
  /** Nothing can be done there without it. */
  permission?: 'config:write';
  /** Shows configuration, which can be looked at as it stood. */
  hasPast?: true;
}>;

/** What a change would come to. */
type Proposed = Readonly<{
  /** Calls on the configuration as it stands, or another version of it; null where neither can be asked about. */
  proposal: Readonly<{ calls: readonly unknown[] } | { version: string }> | null;
  /** What the server said of it already. */
  known?: unknown;
}>;

/** A part of the screen History, drawn by the element `gw-history-<value>`. */
export type Section = Readonly<{
  value: string;
  label: string;
  about: string;
  /** Of the tabs; the first one is shown when none is named. */
  order: number;
  load: () => Promise<unknown>;
  /** Reached from the others alone. */
  inner?: true;
}>;

export type UiExtension = Readonly<{
  sections?: readonly Section[];
  /** A part of every preview of a change. */
  preview?: Readonly<{
    label: string;
    /** Whether it is of use for a call to this path. */
    concerns: (path: string) => boolean;
    draw: (proposed: Proposed) => TemplateResult;
  }>;
  screens?: readonly Screen[];
  /** What can be done with an API key while it is shown. */
  withNewKey?: Readonly<{
    label: string;
    icon: IconName;
    permission: string;
    use: (key: string) => void;
  }>;
}>;

export const extensions: readonly UiExtension[] = Object.values(
  import.meta.glob<UiExtension>('../extensions/*/ui/extension.ts', {
    eager: true,
    import: 'extension',
  }),
);

export const previews = extensions.flatMap(({ preview }) => preview ?? []);

export const previewOf = (proposed: Proposed) => previews.map(({ draw }) => draw(proposed));
