// Defines the playground extension: a chat through the gateway for users of the management UI
// (docs/adr/0033-playground.md).

import type { Core, Extension } from '../../src/admin/extension.ts';
import { createPlaces } from '../../src/admin/http/event-stream.ts';
import { createChatRelay } from './chat-relay.ts';
import { playgroundChatsMax, playgroundRoutes } from './routes.ts';

export const playground = ((core: Core) => {
  const relayChat = createChatRelay(() => core().program.gateway);
  const chats = createPlaces(playgroundChatsMax);
  return { routes: () => playgroundRoutes({ relayChat, chats }) };
}) satisfies Extension;
