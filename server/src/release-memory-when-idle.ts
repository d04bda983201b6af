import { errorMessage, type Logger } from '@holdfast/foundation'
import { releaseMemory } from './release-memory.ts'

/** Poll interval in ms. */
const LOOK_MS = 5_000

/** Consecutive quiet polls required, because a pause between two requests is not idleness. */
const QUIET_LOOKS = 2

/** Share of elapsed time spent by all threads on the processor, below which the process counts as idle. Above the cost of keepalives for 5,000 devices. */
const QUIET_SHARE = 0.1

/** Minimum expected gain in bytes; less is not worth a pause. */
const RETURNED_BYTES_MIN = 16 * 1024 * 1024

/** Maximum heap in bytes: collecting more would delay requests by more than some tenths of a second. */
const HEAP_BYTES_MAX = 256 * 1024 * 1024

/** Minimum processor time between collections, as a multiple of the last one's, so that they take at most a hundredth of the total. */
const TIMES_APART = 100

/** Resource usage of the process. */
export interface ProcessUse {
  readonly atMs: number
  /** Processor time of all threads since the process started. */
  readonly processorMs: number
  readonly residentBytes: number
  /** Heap in use, including uncollected garbage. */
  readonly heapBytes: number
}

/** Decides when collecting garbage and releasing memory is worthwhile. */
export class IdleDetector {
  #before: ProcessUse | undefined
  #quietLooks = 0
  /** Resident memory after the last collection. */
  #keptBytes = 0
  #notBeforeMs = 0
  readonly #quietShare: number

  constructor(quietShare = QUIET_SHARE) {
    this.#quietShare = quietShare
  }

  /** @returns whether to release memory now */
  look(now: ProcessUse): boolean {
    const before = this.#before
    this.#before = now
    if (!before) return false
    const used = (now.processorMs - before.processorMs) / (now.atMs - before.atMs)
    this.#quietLooks = used <= this.#quietShare ? this.#quietLooks + 1 : 0
    return (
      this.#quietLooks >= QUIET_LOOKS &&
      now.atMs >= this.#notBeforeMs &&
      now.residentBytes - this.#keptBytes >= RETURNED_BYTES_MIN &&
      now.heapBytes <= HEAP_BYTES_MAX
    )
  }

  /** Call after releasing memory. Processor time is measured, because other programs lengthen the elapsed time. */
  returned(began: ProcessUse, now: ProcessUse): void {
    this.#before = now
    this.#quietLooks = 0
    this.#keptBytes = now.residentBytes
    this.#notBeforeMs = now.atMs + (now.processorMs - began.processorMs) * TIMES_APART
  }
}

function readUse(): ProcessUse {
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed } = process.memoryUsage()
  return {
    atMs: performance.now(),
    processorMs: (user + system) / 1_000,
    residentBytes: rss,
    heapBytes: heapUsed,
  }
}

/**
 * Releases memory after a load peak, once the process has been idle for a few seconds and it is worthwhile. Requests arriving meanwhile are delayed by some
 * tenths of a second.
 */
export function releaseMemoryWhenIdle(logger: Logger, { lookMs = LOOK_MS, quietShare = QUIET_SHARE } = {}): Disposable {
  const watch = new IdleDetector(quietShare)
  let isReturning = false

  async function look(): Promise<void> {
    const began = readUse()
    if (isReturning || !watch.look(began)) return
    isReturning = true
    await releaseMemory()
    const now = readUse()
    watch.returned(began, now)
    isReturning = false
    logger.log('debug', 'gave memory back', {
      bytes: began.residentBytes - now.residentBytes,
      ms: Math.round(now.atMs - began.atMs),
    })
  }
  const timer = setInterval(() => {
    look().catch((error: unknown) => {
      clearInterval(timer)
      logger.log('warn', 'memory cannot be given back', { reason: errorMessage(error) })
    })
  }, lookMs)
  timer.unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
