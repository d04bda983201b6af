import { errorMessage } from '@holdfast/foundation'
import { LOOK_EVERY_MS } from '../limits.ts'
import { exceedsDisk } from './disk-usage.ts'
import { readUsage } from './usage.ts'

export interface WatchedProcess {
  readonly pid: number | undefined
  /** Where it writes. */
  readonly folder: string
  readonly memoryBytesMax: number
  /** Milliseconds of processor time between two answers of its event loop. */
  readonly cpuMsMax: number
  /** Asks its event loop for an answer. */
  readonly beat: () => void
  readonly onExceeded: (reason: 'memory' | 'cpu' | 'disk') => void
  /** What it writes cannot be measured, and so not be bounded. {@link onExceeded} follows. */
  readonly onUnmeasured: (reason: string) => void
}

/** The part of the memory above which a process that the kernel or V8 ended counts as one that had too much. */
const NEARLY_ALL = 0.6

/** What V8 prints when it has no more memory, be it for its heap or from the kernel. */
const OUT_OF_MEMORY = /out of memory|heap limit|Zone Allocation failed/i

/**
 * Holds a process to its limits of memory, disk and processor time. V8's own limit does not count buffers, and the kernel's counts what is reserved; a loop
 * without end answers no request, so it is the processor time since the last answer that counts.
 */
export function watchUsage(watched: WatchedProcess): Disposable & {
  /** Its event loop has answered. */
  noteBeat(): void
  noteStderr(line: string): void
  /** Resident memory when it was last looked at. */
  memoryBytes(): number
  /** Why a process ended that was not told to. */
  reasonOfEnd(signal: string | null): 'memory' | 'disk' | 'crash'
} {
  const { pid, folder, memoryBytesMax, cpuMsMax, beat, onExceeded } = watched
  let isAnswered = true
  let cpuMsAtBeat = 0
  let askedAt = performance.now()
  let memoryBytes = 0
  let memoryBytesNow = 0
  let saidOutOfMemory = false
  let isMeasuringDisk = false

  function look(): void {
    void lookAtDisk()
    const usage = pid === undefined ? undefined : readUsage(pid)
    memoryBytesNow = usage?.memoryBytes ?? 0
    memoryBytes = Math.max(memoryBytes, memoryBytesNow)
    if (usage && usage.memoryBytes > memoryBytesMax) {
      onExceeded('memory')
      return
    }
    const cpuMs = usage?.cpuMs ?? performance.now()
    if (isAnswered) {
      isAnswered = false
      cpuMsAtBeat = cpuMs
      askedAt = performance.now()
      beat()
    } else if (cpuMs - cpuMsAtBeat > cpuMsMax && performance.now() - askedAt > LOOK_EVERY_MS) onExceeded('cpu')
  }

  async function lookAtDisk(): Promise<void> {
    if (pid === undefined || isMeasuringDisk) return
    isMeasuringDisk = true
    try {
      if (await exceedsDisk(folder, pid)) onExceeded('disk')
    } catch (error) {
      watched.onUnmeasured(errorMessage(error))
      onExceeded('disk')
    } finally {
      isMeasuringDisk = false
    }
  }

  const timer = setInterval(look, LOOK_EVERY_MS).unref()
  return {
    noteBeat() {
      isAnswered = true
    },
    noteStderr(line) {
      saidOutOfMemory ||= OUT_OF_MEMORY.test(line)
    },
    memoryBytes: () => memoryBytesNow,
    reasonOfEnd(signal) {
      if (signal === 'SIGXFSZ') return 'disk' // one file was larger than all may be
      const wasFull = memoryBytes > NEARLY_ALL * memoryBytesMax
      return saidOutOfMemory || (signal !== null && wasFull) ? 'memory' : 'crash'
    },
    [Symbol.dispose]() {
      clearInterval(timer)
    },
  }
}
