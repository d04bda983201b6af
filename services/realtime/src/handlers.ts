import type { Caller } from '@holdfast/http'
import type { ChannelContext } from './channel/context.ts'
import type { Handlers } from './routes.ts'
import { sendMessage, sendMessages } from './routes/broadcast.ts'
import { openSocket } from './routes/websocket.ts'
import { openHub, type Hub } from './socket/hub.ts'

/** Everything that is loaded when the first client comes. */
export function openHandlers(
  context: ChannelContext,
  canWrite: (caller: Caller, name: string) => Promise<boolean>,
): { readonly handlers: Handlers; readonly hub: Hub } {
  const hub = openHub(context)
  const { tokens, topics, options } = context
  const broadcast = { topics, options, canWrite }
  return {
    hub,
    handlers: {
      openSocket: (request, reply) => openSocket({ hub, tokens }, request, reply),
      sendMessages: (request, reply) => sendMessages(broadcast, request, reply),
      sendMessage: (request, reply) => sendMessage(broadcast, request, reply),
    },
  }
}
