import { assert } from '@holdfast/foundation'

export interface BatchQueueOptions {
  /** A batch is handed on from this many items, or from `bytesMax`, or at the end. */
  readonly itemsMin: number
  readonly itemsMax: number
  /** Wire bytes waiting, from which the source is told to stop. */
  readonly bytesMax: number
  /** Called when enough waits; the source should pause. */
  readonly onFull: () => void
  /** Called when there is room again. */
  readonly onRoom: () => void
}

/** Items on their way from a socket to one consumer, bounded by pausing the socket. */
export interface BatchQueue<T> {
  /** Takes ownership of `items`. */
  push(items: T[], bytes: number): void
  /** No more items: what waits is still delivered, then the iteration ends, or throws when there is an `error`. */
  end(error?: Error): void
  /** Forgets what waits and ends the iteration. */
  discard(): void
  /** The next batch, never empty; `undefined` at the end. One call at a time. */
  take(): Promise<readonly T[] | undefined>
}

export function createBatchQueue<T>(options: BatchQueueOptions): BatchQueue<T> {
  const { itemsMin, itemsMax, bytesMax } = options
  let waiting: T[] = []
  let waitingBytes = 0
  let ended = false
  let failure: Error | undefined
  let full = false
  let wake: (() => void) | undefined

  const isReady = (): boolean => ended || waiting.length >= itemsMin || waitingBytes >= bytesMax

  function settle(): void {
    if (!isReady() || wake === undefined) return
    const resume = wake
    wake = undefined
    resume()
  }

  function cut(): readonly T[] {
    const batch = waiting.length <= itemsMax ? waiting : waiting.splice(0, itemsMax)
    if (batch === waiting) {
      waiting = []
      waitingBytes = 0
    } else {
      waitingBytes = Math.round((waitingBytes * waiting.length) / (waiting.length + batch.length))
    }
    if (full && waitingBytes < bytesMax) {
      full = false
      options.onRoom()
    }
    return batch
  }

  return {
    push(items, bytes) {
      waitingBytes += bytes
      if (waiting.length === 0) waiting = items
      else for (const item of items) waiting.push(item)
      settle()
      if (!full && waitingBytes >= bytesMax) {
        full = true
        options.onFull()
      }
    },
    end(error) {
      ended = true
      failure ??= error
      settle()
    },
    discard() {
      waiting = []
      waitingBytes = 0
      failure = undefined
      ended = true
      settle()
    },
    async take() {
      assert(wake === undefined, 'one consumer takes one batch at a time')
      if (!isReady()) await new Promise<void>((resolve) => (wake = resolve))
      if (waiting.length > 0) return cut()
      if (failure === undefined) return undefined
      throw failure
    },
  }
}
