import { readdir, readFile } from 'node:fs/promises'
import type { Holdfast } from '@holdfast/test-support'
import { percentile, type Figure } from './report.ts'

/** Processor time that the server has used since it started, in milliseconds. */
export interface ProcessorTime {
  /** Of its own process. */
  readonly node: number
  /** Of the processes under it: its Postgres. */
  readonly postgres: number
}

interface Process {
  readonly parent: number
  /** Of the children that have ended, in milliseconds. */
  readonly endedMs: number
}

/** The kernel counts in hundredths of a second where it does not count in nanoseconds. */
const TICK_MS = 10

/**
 * What the kernel counts for the process and all under it. Unlike the time that passes, it depends little on what else the machine does.
 *
 * @returns `undefined` where there is no `/proc`
 */
export async function readProcessorTime(pid: number): Promise<ProcessorTime | undefined> {
  const entries = await readdir('/proc').catch(() => [])
  const processes = new Map<number, Process>()
  for (const entry of entries) {
    const process = /^\d+$/.test(entry) ? await readProcess(Number(entry)) : undefined
    if (process) processes.set(Number(entry), process)
  }
  if (!processes.has(pid)) return undefined
  const times = new Map<number, number>()
  for (const [id, { endedMs }] of processes) {
    if (id !== pid && !isUnder(processes, id, pid)) continue
    times.set(id, (await readRunMs(id)) + (id === pid ? 0 : endedMs))
  }
  const node = times.get(pid) ?? Number.NaN
  return { node, postgres: [...times.values()].reduce((sum, ms) => sum + ms, 0) - node }
}

function isUnder(processes: ReadonlyMap<number, Process>, id: number, ancestor: number): boolean {
  for (let at = processes.get(id)?.parent; at !== undefined; at = processes.get(at)?.parent) {
    if (at === ancestor) return true
  }
  return false
}

async function readProcess(pid: number): Promise<Process | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined // it has ended meanwhile
  // The name in parentheses may have any character; the state comes after it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return { parent: Number(fields[1]), endedMs: (Number(fields[13]) + Number(fields[14])) * TICK_MS }
}

/** The time of all threads of a process, to the nanosecond. */
async function readRunMs(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const times = threads.map(async (thread) => {
    const text = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0')
    return Number(text.split(' ')[0]) / 1e6
  })
  return (await Promise.all(times)).reduce((sum, ms) => sum + ms, 0)
}

/** Measures the processor time of a server while it works. */
export interface ProcessorMeter {
  /** @returns what was used since the last call, or since the meter was made; `undefined` where it is not counted */
  take(): Promise<ProcessorTime | undefined>
}

export async function startProcessorMeter(holdfast: Pick<Holdfast, 'pid'>): Promise<ProcessorMeter> {
  let before = await readProcessorTime(holdfast.pid())
  return {
    async take() {
      const now = await readProcessorTime(holdfast.pid())
      const used = now && before && { node: now.node - before.node, postgres: now.postgres - before.postgres }
      before = now
      return used
    },
  }
}

/** Windows of which the quieter ones count: what else the machine does, the compiler and the collector only ever add. */
const QUIET_SHARE = 0.25

/**
 * The processor time for one of what was done, of Node and of Postgres: the lower quartile of windows in which the same was done.
 *
 * @param each - `request`, `row`
 * @param count - how many were done in each window
 */
export function processorFigures(
  name: string,
  each: string,
  count: number,
  windows: readonly (ProcessorTime | undefined)[],
): Figure[] {
  const measured = windows.filter((window) => window !== undefined)
  if (measured.length === 0) return []
  return (['node', 'postgres'] as const).map((part) => ({
    name: `${name}: processor time of ${part === 'node' ? 'Node' : 'Postgres'} per ${each}`,
    value: percentile(
      measured.map((used) => (used[part] * 1_000) / count),
      QUIET_SHARE,
    ),
    unit: 'µs',
  }))
}
