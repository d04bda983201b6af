import type pg from 'pg'
import { createFramer, type MessageHandler } from './framing.ts'
import { terminateMessage } from './messages.ts'

const CLOSE_TIMEOUT_MS = 2000

export interface WireHandlers {
  readonly onMessage: MessageHandler
  /** After all messages of one chunk of the socket. */
  readonly onChunkEnd: (bytes: number) => void
  /** The socket is gone, or a handler threw. Called once; not after {@link Wire.close}. */
  readonly onLost: (cause: Error) => void
}

/** A connection whose messages we read ourselves. */
export interface Wire {
  send(message: Buffer): void
  pause(): void
  resume(): void
  /** Says goodbye and waits until the server has closed, so that what it held (a slot) is free; at most two seconds. */
  close(): Promise<void>
  /** Drops the socket now; the server notices by itself. */
  destroy(): void
}

/**
 * Takes a connected, idle client over: the driver has done addresses, TLS and passwords, from here on each byte is ours. The driver's
 * reader makes an object and an event per message, which is a large part of the cost of a row.
 */
export function takeOver(client: pg.Client, handlers: WireHandlers): Wire {
  const socket = client.connection.stream
  let over = false
  let failure: Error | undefined

  function lose(cause: Error): void {
    if (over) return
    over = true
    socket.destroy()
    handlers.onLost(cause)
  }

  const feed = createFramer(handlers.onMessage)
  socket.removeAllListeners('data')
  socket.on('data', (chunk: Buffer) => {
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
    send: (message) => {
      if (socket.writable) socket.write(message)
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
