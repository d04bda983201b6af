import { WebSocketServer } from 'ws'
import { Semaphore } from '@holdfast/foundation'
import type { Upgrade } from '@holdfast/http'
import type { Identity } from '../access/tokens.ts'
import type { ChannelContext } from '../channel/context.ts'
import { tooManyClients } from '../errors.ts'
import { CLOSE_PATIENCE_MS, FRAGMENTS_MAX, FRAME_BYTES_MAX, SWEEP_EVERY_MS } from '../limits.ts'
import type { Version } from '../wire/frames.ts'
import { UnhandledBytes } from './unhandled-bytes.ts'
import { CLOSE, Connection } from './connection.ts'
import { MessageShare } from './message-share.ts'
import { Flusher } from './outbox.ts'
import { UnsentBytes } from './unsent-bytes.ts'

/** A connecting client. */
export interface Client {
  readonly version: Version
  readonly identity: Identity
  /** Remote address; clients of one address share a limit. */
  readonly address: string
}

/** All WebSockets of this node. */
export interface Hub extends AsyncDisposable {
  /**
   * Counts a connecting client.
   *
   * @returns a function that takes over its connection
   * @throws {HoldfastError} `ConnectionRateLimitReached`
   */
  enter(client: Client): (upgrade: Upgrade) => void
}

export function openHub(context: ChannelContext): Hub {
  const { options, clock } = context
  // No compression: it takes CPU and 100 KB per client.
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: FRAME_BYTES_MAX,
    maxFragments: FRAGMENTS_MAX,
  })
  const connections = new Set<Connection>()
  const shared = {
    flusher: new Flusher(),
    arriving: new UnhandledBytes(options.realtimeArrivingTotalMax * 1_024),
    unsent: new UnsentBytes(options.realtimeUnsentTotalMax * 1_024),
    messages: new MessageShare(options.realtimeServerMessagesPerSecondMax),
  }
  const limit = new Semaphore({ permits: options.realtimeClientsMax, leavesRoom: true, refuse: tooManyClients })
  let wasUnfollowed = false
  const sweeping = setInterval(() => {
    const isUnfollowed = context.isUnfollowed()
    // Clients join again and learn that table changes are unavailable.
    if (isUnfollowed && !wasUnfollowed) context.changes.cutAll('Table changes cannot be followed at the moment')
    wasUnfollowed = isUnfollowed
    for (const connection of connections) connection.sweep(clock.now())
  }, SWEEP_EVERY_MS)
  sweeping.unref()
  let isClosing = false
  let onEmpty: (() => void) | undefined

  return {
    enter(client) {
      const leave = limit.acquireNow({ key: client.address })
      return ({ request, socket, head }) => {
        socket.once('close', leave)
        if (socket.destroyed) leave()
        server.handleUpgrade(request, socket, head, (webSocket) => {
          const connection = new Connection(context, { webSocket, socket, shared }, client, (closed) => {
            connections.delete(closed)
            if (connections.size === 0) onEmpty?.()
          })
          connections.add(connection)
          if (isClosing) connection.close(CLOSE.restarting)
        })
      }
    },
    async [Symbol.asyncDispose]() {
      isClosing = true
      for (const connection of connections) connection.close(CLOSE.restarting)
      if (connections.size > 0) {
        const { promise, resolve } = Promise.withResolvers<void>()
        onEmpty = resolve
        const cut = setTimeout(() => {
          for (const connection of connections) connection.terminate()
          resolve()
        }, CLOSE_PATIENCE_MS)
        await promise
        clearTimeout(cut)
      }
      clearInterval(sweeping)
    },
  }
}
