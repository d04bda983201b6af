import type { Caller } from '@holdfast/http'
import type { ChannelContext } from './channel/context.ts'
import type { Handlers } from './routes.ts'
import { sendMessage, sendMessages } from './routes/broadcast.ts'
import { openSocket } from './routes/websocket.ts'
import { openHub, type Hub } from './socket/hub.ts'

/** Opens the handlers that are imported with the first client. */
export function openHandlers(context: ChannelContext): {
  readonly handlers: Handlers
  readonly hub: Hub
} {
  const hub = openHub(context)
  const { tokens, topics, rights, options } = context
  const canWrite = ({ role, claims, userId }: Caller, name: string): Promise<boolean> =>
    rights.write(
      { role, claims, person: role === 'service_role' ? undefined : (userId ?? `role ${role}`) },
      name,
      'broadcast',
    )
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
