// Which elements of Web Awesome are in the UI, and where their icons come from: our sprite, for no other server is asked. Only the
// elements beside this file know that they are there.

import sprite from '#icons?url';
import { registerIconLibrary } from '@awesome.me/webawesome/dist/components/icon/library.js';
import '@awesome.me/webawesome/dist/components/dialog/dialog.js';
import '@awesome.me/webawesome/dist/components/drawer/drawer.js';
import '@awesome.me/webawesome/dist/components/dropdown/dropdown.js';
import '@awesome.me/webawesome/dist/components/dropdown-item/dropdown-item.js';
import '@awesome.me/webawesome/dist/components/icon/icon.js';

import { icons } from '../icons.ts';
import type { IconName } from '../icons.ts';

/** The names by which Web Awesome's own elements ask. */
const ownNames: Readonly<Record<string, IconName>> = { xmark: 'x' };

const isKnown = (name: string): boolean => icons.some((icon) => icon === name);

for (const library of ['default', 'system']) {
  registerIconLibrary(library, {
    spriteSheet: true,
    resolver: (name) => {
      const known = ownNames[name] ?? name;
      return `${sprite}#${isKnown(known) ? known : 'x'}`;
    },
  });
}
