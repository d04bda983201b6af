import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** Faults of one direction. */
export interface LaneFaults {
  /**
   * `flow`: they pass. `stall`: nothing is read, so that the sender's buffers fill up. `swallow`: they are read and dropped, so that the sender believes
   * that they arrived; so is the end of the connection.
   */
  mode: 'flow' | 'stall' | 'swallow'
  /** Bytes per forwarded piece; 0: unchanged. */
  pieceBytes: number
  /** Delay in ms between pieces. */
  pauseMs: number
  /** Bytes after which a connection is cut, per connection. */
  bytesMax: number
}

export const NO_FAULTS: Readonly<LaneFaults> = { mode: 'flow', pieceBytes: 0, pauseMs: 0, bytesMax: Infinity }

/** One direction of a connection. */
export interface Lane {
  /** Applies changed faults. */
  refresh(): void
}

export interface LaneOptions {
  readonly from: Socket
  readonly to: Socket
  readonly faults: Readonly<LaneFaults>
  /** Called before bytes are forwarded. The returned function is called afterwards. */
  readonly onBytes?: (bytes: Buffer) => (() => void) | undefined
  /** Called with the number of swallowed bytes. */
  readonly onSwallow?: (bytes: number) => void
  /** Cuts the connection. */
  readonly cut: () => void
}

/** Forwards bytes between sockets with backpressure: stops reading while bytes are pending. */
export function openLane({ from, to, faults, onBytes, onSwallow, cut }: LaneOptions): Lane {
  let passed = 0
  let hasSwallowed = false
  let isPumping = false

  /** Forwards the next piece. @returns the delay before the following one; `undefined` waits for an event */
  function pass(): number | undefined {
    if (faults.mode === 'stall' || from.destroyed || to.destroyed || to.writableEnded) return undefined
    if (to.writableNeedDrain) return undefined
    const room = Math.max(1, Math.min(faults.pieceBytes || Infinity, faults.bytesMax - passed))
    const bytes = readUpTo(from, room)
    if (!bytes) return undefined
    const done = onBytes?.(bytes)
    if (to.destroyed) return undefined
    passed += bytes.length
    if (faults.mode === 'swallow') {
      hasSwallowed = true
      onSwallow?.(bytes.length)
      return 0
    }
    to.write(bytes, done)
    // Forwarded bytes arrive; nothing after them does.
    if (passed >= faults.bytesMax) to.end(cut)
    return faults.pieceBytes > 0 ? faults.pauseMs : 0
  }

  async function pump(): Promise<void> {
    if (isPumping) return
    isPumping = true
    for (let waitMs = pass(); waitMs !== undefined; waitMs = pass()) if (waitMs > 0) await delay(waitMs)
    isPumping = false
  }

  from.on('readable', () => void pump())
  from.on('end', () => {
    if (faults.mode !== 'swallow') to.end()
  })
  to.on('drain', () => void pump())
  return {
    refresh() {
      // Bytes are missing, so later ones would be misinterpreted.
      if (hasSwallowed && faults.mode !== 'swallow') cut()
      else void pump()
    },
  }
}

function readUpTo(socket: Socket, bytes: number): Buffer | null {
  const size = Math.min(bytes, socket.readableLength)
  return size > 0 ? (socket.read(size) as Buffer | null) : (socket.read() as Buffer | null)
}
