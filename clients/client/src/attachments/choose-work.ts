import type { FileEntry } from './file-state.ts'
import { FETCHING_MAX, FILE_WAIT_MS_MAX, PREPARING_MAX, SENDING_MAX } from './limits.ts'

/** A task for one file. */
export interface FileWork {
  readonly kind: 'prepare' | 'send' | 'link' | 'accept_link' | 'fetch'
  readonly file: FileEntry
}

export interface WorkFacts {
  readonly nowMs: number
  /** Running tasks by file. */
  readonly busy: ReadonlyMap<string, FileWork['kind']>
  /** Whether the network may be used. */
  readonly isOpen: boolean
  /** Files whose row is not on the server yet. Storage would refuse them, because policies check the row. */
  readonly waitingRows: ReadonlySet<string>
  /** Position of the oldest outbox entry; `undefined` if empty. */
  readonly firstWaiting: number | undefined
}

/** Returns the tasks that can start now, in order: files added earlier first, opened files before eager ones. */
export function chooseWork(files: readonly FileEntry[], facts: WorkFacts): readonly FileWork[] {
  const idle = files.filter(({ id }) => !facts.busy.has(id))
  const running = (kind: FileWork['kind']): number => [...facts.busy.values()].filter((busy) => busy === kind).length
  const captured = idle.filter(({ state }) => state === 'captured')
  const preparing = captured.slice(0, Math.max(0, PREPARING_MAX - running('prepare')))
  const linking = idle.flatMap((file): readonly FileWork[] => {
    if (file.state !== 'uploaded') return []
    if (file.linkPosition === undefined) return [{ kind: 'link', file }]
    const hasPassed = facts.firstWaiting === undefined || facts.firstWaiting > file.linkPosition
    return hasPassed ? [{ kind: 'accept_link', file }] : []
  })
  const local = [...preparing.map((file): FileWork => ({ kind: 'prepare', file })), ...linking]
  if (!facts.isOpen) return local
  const due = idle.filter((file) => !file.isPaused && !waits(file, facts.nowMs))
  const sending = due
    .filter(({ state, id }) => state === 'queued' && !facts.waitingRows.has(id))
    .slice(0, Math.max(0, SENDING_MAX - running('send')))
  const fetching = due
    .filter(({ state }) => state === 'queued_download')
    .sort((a, b) => b.usedAtMs - a.usedAtMs)
    .slice(0, Math.max(0, FETCHING_MAX - running('fetch')))
  return [
    ...local,
    ...sending.map((file): FileWork => ({ kind: 'send', file })),
    ...fetching.map((file): FileWork => ({ kind: 'fetch', file })),
  ]
}

/** Returns the time of the next retry in ms since the epoch; `undefined` if none is scheduled. */
export function nextMoment(files: readonly FileEntry[], nowMs: number): number | undefined {
  const moments = files
    .filter(({ state, isPaused }) => !isPaused && (state === 'queued' || state === 'queued_download'))
    .filter((file) => waits(file, nowMs))
    .map(({ notBeforeMs }) => notBeforeMs)
  return moments.length === 0 ? undefined : Math.min(...moments)
}

function waits({ notBeforeMs }: FileEntry, nowMs: number): boolean {
  return notBeforeMs > nowMs && notBeforeMs - nowMs <= FILE_WAIT_MS_MAX
}
