import { readdir, readFile } from 'node:fs/promises'
import type { Holdfast } from '@holdfast/test-support'
import { percentile, type Figure } from './report.ts'

/** Processor time that the server has used since it started, in milliseconds. */
export interface ProcessorTime {
  /** Time of the Node process. */
  readonly node: number
  /** Time of the processes under it, which are Postgres, ended ones included. */
  readonly postgres: number
}

interface Process {
  readonly parent: number
  /** Time of child processes that have ended, in milliseconds. */
  readonly endedMs: number
}

/** Precision of the times that the kernel does not count in nanoseconds. */
const TICK_MS = 10

/**
 * Reads the time that the kernel has counted for the process and all processes under it. Unlike elapsed time, it depends little on other load on the machine.
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
  const ended = processes.get(pid)?.endedMs ?? 0
  return { node, postgres: [...times.values()].reduce((sum, ms) => sum + ms, ended) - node }
}

function isUnder(processes: ReadonlyMap<number, Process>, id: number, ancestor: number): boolean {
  for (let at = processes.get(id)?.parent; at !== undefined; at = processes.get(at)?.parent) {
    if (at === ancestor) return true
  }
  return false
}

async function readProcess(pid: number): Promise<Process | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined // the process has ended meanwhile
  // The name in parentheses may contain any character; the state follows it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return { parent: Number(fields[1]), endedMs: (Number(fields[13]) + Number(fields[14])) * TICK_MS }
}

/** Processor time of all threads of a process, in nanosecond precision. */
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
  /** @returns the time used since the last call, or since the meter was created; `undefined` where it cannot be measured */
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

/** Share of the windows that are used, those with the lowest times: other load, the compiler and the garbage collector only ever add time. */
const QUIET_SHARE = 0.25

/**
 * Processor time of one unit of work, of Node and of Postgres: the lower quartile of windows with the same work.
 *
 * @param each - the unit, such as `request` or `row`
 * @param count - units in each window
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
