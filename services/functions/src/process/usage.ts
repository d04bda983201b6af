import { readFileSync } from 'node:fs'

export interface Usage {
  readonly memoryBytes: number
  readonly cpuMs: number
}

/** Length of a CPU time tick in ms: Linux reports 100 Hz on every architecture. */
const TICK_MS = 10

/** @returns `undefined` if the process has ended, or without `/proc` */
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
