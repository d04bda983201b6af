import { readFileSync } from 'node:fs'

export interface Usage {
  readonly memoryBytes: number
  readonly cpuMs: number
}

/** Of one tick of the processor time that Linux tells: it is 100 Hz on every architecture. */
const TICK_MS = 10

/** @returns `undefined` when the process is gone, or where there is no `/proc` */
export function readUsage(pid: number): Usage | undefined {
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
