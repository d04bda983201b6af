import { readFileSync } from 'node:fs'
import { errorMessage } from '@holdfast/foundation'
import { LOOK_EVERY_MS } from '../limits.ts'
import { exceedsDisk } from './disk-usage.ts'

interface Usage {
  readonly memoryBytes: number
  readonly cpuMs: number
}

/** Length of a CPU time tick in ms: Linux reports 100 Hz on every architecture. */
const TICK_MS = 10

/** @returns `undefined` if the process has ended, or without `/proc` */
function readUsage(pid: number): Usage | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const memory = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
    return {
      cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
      memoryBytes: Number(memory?.[1] ?? 0) * 1024,
    }
  } catch {
    return undefined
  }
}

export interface WatchedProcess {
  readonly pid: number | undefined
  /** Folder it writes to. */
  readonly folder: string
  readonly memoryBytesMax: number
  /** CPU time in ms allowed between two heartbeats. */
  readonly cpuMsMax: number
  /** Requests a heartbeat from its event loop. */
  readonly beat: () => void
  readonly onExceeded: (reason: 'memory' | 'cpu' | 'disk') => void
  /** Disk usage cannot be measured and therefore not limited. {@link onExceeded} follows. */
  readonly onUnmeasured: (reason: string) => void
}

/** A process killed by the kernel or V8 above this share of its memory limit counts as out of memory. */
const NEARLY_ALL = 0.6

/** V8's messages when out of memory. */
const OUT_OF_MEMORY = /out of memory|heap limit|Zone Allocation failed/i

/**
 * Enforces the limits for memory, disk and CPU time of a process. Necessary because V8's limit excludes buffers and the kernel's includes reserved memory. CPU
 * time counts from the last heartbeat, because an endless loop answers none.
 */
export function watchUsage(watched: WatchedProcess): Disposable & {
  /** Call on a heartbeat. */
  noteBeat(): void
  noteStderr(line: string): void
  /** Resident memory at the last poll. */
  memoryBytes(): number
  /** Returns why a process ended unexpectedly. */
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
      if (signal === 'SIGXFSZ') return 'disk' // a single file exceeded the limit
      const wasFull = memoryBytes > NEARLY_ALL * memoryBytesMax
      return saidOutOfMemory || (signal !== null && wasFull) ? 'memory' : 'crash'
    },
    [Symbol.dispose]() {
      clearInterval(timer)
    },
  }
}
