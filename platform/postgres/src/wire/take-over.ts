import type { Socket } from 'node:net'
import type { ClientBase } from 'pg'
import { createFramer, type FramerOptions } from './framer.ts'
import { terminateMessage } from './messages.ts'
import { readChunks } from './read-buffer.ts'

const CLOSE_TIMEOUT_MS = 2000

export interface WireHandlers extends FramerOptions {
  /** Called after all messages of a socket chunk. */
  readonly onChunkEnd: (bytes: number) => void
  /** Called once if the socket is gone or a handler threw, but not after {@link Wire.close}. */
  readonly onLost: (cause: Error) => void
}

/** A connection whose messages we read directly. */
export interface Wire {
  send(...parts: readonly Buffer[]): void
  pause(): void
  resume(): void
  /** Terminates gracefully and waits up to two seconds for the server to close, so that its resources (a slot) are free. */
  close(): Promise<void>
  /** Destroys the socket; the server will notice. */
  destroy(): void
}

/** Returns the driver's socket, an undocumented member: the driver's version is pinned, and tests with a real Postgres cover this. */
export function socketOf(client: ClientBase): Socket {
  return (client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream
}

/**
 * Takes over a connected, idle client: the driver handles addresses, TLS and passwords; afterwards we read the bytes. The driver's reader creates an object and
 * an event per message, a large part of a row's cost.
 */
export function takeOver(client: ClientBase, handlers: WireHandlers): Wire {
  const socket = socketOf(client)
  let over = false
  let failure: Error | undefined

  function lose(cause: Error): void {
    if (over) return
    over = true
    socket.destroy()
    handlers.onLost(cause)
  }

  const feed = createFramer(handlers)
  readChunks(socket, (chunk) => {
    if (over) return
    try {
      feed(chunk)
      handlers.onChunkEnd(chunk.length)
    } catch (error) {
      lose(error as Error)
    }
  })
  socket.on('error', (error) => (failure = error))
  socket.on('close', () => lose(failure ?? new Error('Postgres closed the connection')))

  return {
    send: (...parts) => {
      if (!socket.writable) return
      if (parts.length > 1) socket.cork()
      for (const part of parts) socket.write(part)
      if (parts.length > 1) socket.uncork()
    },
    pause: () => {
      socket.pause()
    },
    resume: () => {
      socket.resume()
    },
    close: async () => {
      over = true
      if (socket.closed) return
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => socket.destroy(), CLOSE_TIMEOUT_MS)
        socket.once('close', () => {
          clearTimeout(timer)
          resolve()
        })
        socket.resume()
        if (socket.writable) socket.end(terminateMessage())
        else socket.destroy()
      })
    },
    destroy: () => {
      over = true
      socket.destroy()
    },
  }
}
