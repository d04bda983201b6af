import type { Socket } from 'node:net'
import type { ClientBase } from 'pg'
import { createFramer, type FramerOptions } from './framer.ts'
import { terminateMessage } from './messages.ts'
import { readChunks } from './read-buffer.ts'

const CLOSE_TIMEOUT_MS = 2000

export interface WireHandlers extends FramerOptions {
  /** After all messages of one chunk of the socket. */
  readonly onChunkEnd: (bytes: number) => void
  /** The socket is gone, or a handler threw. Called once; not after {@link Wire.close}. */
  readonly onLost: (cause: Error) => void
}

/** A connection whose messages we read ourselves. */
export interface Wire {
  send(...parts: readonly Buffer[]): void
  pause(): void
  resume(): void
  /** Says goodbye and waits until the server has closed, so that what it held (a slot) is free; at most two seconds. */
  close(): Promise<void>
  /** Drops the socket now; the server notices by itself. */
  destroy(): void
}

/** The driver's socket, which it does not promise to show: the driver's version is exact, and tests on a real Postgres cover this. */
export function socketOf(client: ClientBase): Socket {
  return (client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream
}

/**
 * Takes a connected, idle client over: the driver has done addresses, TLS and passwords, from here on each byte is ours. The driver's
 * reader makes an object and an event per message, which is a large part of the cost of a row.
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
