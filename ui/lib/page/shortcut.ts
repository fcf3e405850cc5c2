// Decides what a key does: `Ctrl/⌘ K` opens the palette, `/` the filter, `n` notifications, `?` the shortcuts, and `g` with a letter a
// screen.

export type Pressed = Readonly<{
  key: string;
  /** With Control or Command. */
  held: boolean;
  /** In a field, where keys are text. */
  typing: boolean;
  /** The previous key was `g`. */
  going: boolean;
  /** Single-key shortcuts are enabled. */
  single: boolean;
}>;

export type Meaning =
  | Readonly<{ kind: 'palette' | 'filter' | 'notices' | 'keys' | 'go' }>
  | Readonly<{ kind: 'screen'; key: string }>;

export function meaningOf({ key, held, typing, going, single }: Pressed): Meaning | null {
  if (held) return key.toLowerCase() === 'k' ? { kind: 'palette' } : null;
  if (typing || !single) return null;
  if (going && /^[a-z]$/.test(key)) return { kind: 'screen', key };
  switch (key) {
    case '/':
      return { kind: 'filter' };
    case 'n':
      return { kind: 'notices' };
    case '?':
      return { kind: 'keys' };
    case 'g':
      return { kind: 'go' };
    default:
      return null;
  }
}
