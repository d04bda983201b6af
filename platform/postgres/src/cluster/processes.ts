import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync } from 'node:fs'

/** Externally visible properties of a process. */
export interface ProcessInfo {
  readonly pid: number
  /** Distinguishes a process from a later one with the same PID. Opaque. */
  readonly startedAt: string
  /** Command line, or the title set by the process. */
  readonly command: string
}

const hasProc = existsSync('/proc/self/stat')

/** @returns `undefined` if there is no such process or only a zombie */
export function findProcess(pid: number): ProcessInfo | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined
  return hasProc ? readProc(pid) : listWithPs(['-p', String(pid)])[0]
}

/** Returns all living processes whose command line contains `words`. */
export function findProcesses(words: string): readonly ProcessInfo[] {
  const all = hasProc
    ? readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .flatMap((name) => readProc(Number(name)) ?? [])
    : listWithPs(['-ax'])
  return all.filter((found) => found.command.includes(words) && found.pid !== process.pid)
}

function readProc(pid: number): ProcessInfo | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may contain spaces and parentheses. State is field 3, start time field 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
    return { pid, startedAt: fields[19] ?? '', command }
  } catch {
    return undefined // it ended, possibly between the reads
  }
}

/** For systems without `/proc`. */
function listWithPs(selection: readonly string[]): readonly ProcessInfo[] {
  if (process.platform === 'win32') return []
  let text: string
  try {
    text = execFileSync('ps', [...selection, '-o', 'pid=,stat=,lstart=,command='], { encoding: 'utf8' })
  } catch {
    return [] // ps exits with 1 if nothing matches
  }
  return text.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.*)$/.exec(line)
    if (!match || match[2]?.startsWith('Z')) return []
    return [{ pid: Number(match[1]), startedAt: match[3] ?? '', command: match[4] ?? '' }]
  })
}
