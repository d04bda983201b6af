import { DOUBTFUL_ATTEMPTS_MAX, FILE_RETRY_MS_MAX, FILE_RETRY_MS_MIN, FILE_WAIT_MS_MAX } from './limits.ts'

/**
 * Where a file is. The first line is the way of a file that was added on this device, the second that of a file of another one.
 *
 * `elsewhere`: its row is here, and its bytes have not been uploaded by the device that has them. `unavailable`: the server has no such object
 * for this person.
 */
export type FileState =
  | ('captured' | 'preparing' | 'queued' | 'uploading' | 'uploaded' | 'linked' | 'refused')
  | ('elsewhere' | 'remote' | 'queued_download' | 'downloading' | 'cached' | 'evicted' | 'unavailable')

/** Why a transfer did not work. */
export interface FileProblem {
  /** `error.code` of storage, such as `EntityTooLarge`, or one of the kit: `network`, `row_gone`, `bytes_missing`. */
  readonly code: string
  readonly message: string
  /** The status that storage gave, if it answered. */
  readonly status: number | undefined
}

/** What the device knows of one file. */
export interface FileEntry {
  /** Also the id of the row that names the file. */
  readonly id: string
  readonly bucket: string
  readonly path: string
  readonly name: string
  readonly mediaType: string
  /** In bytes; as the row says while the bytes are not here. */
  readonly size: number
  readonly state: FileState
  /** The person has stopped this file. */
  readonly isPaused: boolean
  /** Comes down without being opened. */
  readonly isEager: boolean
  /** Names the bytes in the file store; `undefined` while they are not here. */
  readonly bytesName: string | undefined
  /** The resumable upload under way. */
  readonly uploadUrl: string | undefined
  /** How much of it has gone; while it is being sent, some of this may not have arrived. */
  readonly sentBytes: number
  /** Failures in a row, and those of them in which the server refused. */
  readonly attempts: number
  readonly doubts: number
  /** Milliseconds since the epoch. */
  readonly notBeforeMs: number
  readonly problem: FileProblem | undefined
  /** Position in the outbox of the change that links the file. */
  readonly linkPosition: number | undefined
  /** When a person used it last, or when it came; 0 while neither has happened. Milliseconds since the epoch. */
  readonly usedAtMs: number
}

export type FailureKind =
  /** The network or the server is not well: again later, without end. */
  | 'retry'
  /** The server says no in a way that may pass: again later, a few times. */
  | 'doubt'
  /** It will say no again. */
  | 'final'

interface Failure {
  readonly failure: FailureKind
  readonly problem: FileProblem
  readonly retryAfterMs: number | undefined
  /** More of the file is on the other side than before: it counts as the first failure in a row. */
  readonly isFurther?: boolean
}

type SendEvent =
  | { readonly kind: 'send_started' }
  | { readonly kind: 'upload_created'; readonly url: string }
  | { readonly kind: 'part_sent'; readonly sentBytes: number }
  /** So much has been given to the network; it may not arrive. */
  | { readonly kind: 'progressed'; readonly sentBytes: number }
  | { readonly kind: 'sent' }
  | ({ readonly kind: 'send_failed' } & Failure)
  /** `undefined`: nothing is written to the row. */
  | { readonly kind: 'link_written'; readonly position: number | undefined }
  /** The server has decided about what linked the file. */
  | { readonly kind: 'link_accepted' }

type FetchEvent =
  /** The row says that the bytes are on the server. */
  | { readonly kind: 'announced' }
  /** A person opened it, or the app's rows say that it is to be here without that. */
  | { readonly kind: 'wanted'; readonly by: 'person' | 'rows' }
  | { readonly kind: 'fetch_started' }
  | { readonly kind: 'fetched'; readonly bytesName: string; readonly size: number }
  | ({ readonly kind: 'fetch_failed' } & Failure)
  | { readonly kind: 'evicted' }

export type FileEvent =
  | SendEvent
  | FetchEvent
  /** The program has started, and nothing is under way. */
  | { readonly kind: 'restarted' }
  /** The transfer was stopped by this device: no failure. */
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'prepare_started' }
  | { readonly kind: 'prepared'; readonly bytesName: string; readonly size: number; readonly mediaType: string }
  /** The store no longer has the bytes. */
  | { readonly kind: 'bytes_missing' }
  | { readonly kind: 'row_gone' }
  | { readonly kind: 'used' }
  /** A person, or the row that came back, wants another attempt. */
  | { readonly kind: 'retried' }
  /** The network is back. */
  | { readonly kind: 'woken' }
  | { readonly kind: 'paused'; readonly isPaused: boolean }

export interface EventContext {
  readonly nowMs: number
  /** 0 to 1. */
  readonly random: number
}

const UNSENT: ReadonlySet<FileState> = new Set(['captured', 'preparing', 'queued', 'uploading', 'refused'])
const EVICTABLE: ReadonlySet<FileState> = new Set(['linked', 'cached'])

/** The bytes are nowhere else: they must not be deleted unless a person says so. */
export function isUnsent({ state }: Pick<FileEntry, 'state'>): boolean {
  return UNSENT.has(state)
}

/** The bytes can be fetched again. */
export function isEvictable({ state }: Pick<FileEntry, 'state'>): boolean {
  return EVICTABLE.has(state)
}

/**
 * The next state of a file.
 *
 * @returns `undefined` when the event does not concern a file in this state: it came late, and nothing changes
 */
export function nextFile(file: FileEntry, event: FileEvent, context: EventContext): FileEntry | undefined {
  switch (event.kind) {
    case 'restarted':
    case 'interrupted':
      return afterStop(file)
    case 'prepare_started':
      return from(file, ['captured'], { state: 'preparing' })
    case 'prepared':
      return from(file, ['preparing'], {
        state: 'queued',
        bytesName: event.bytesName,
        size: event.size,
        mediaType: event.mediaType,
      })
    case 'send_started':
    case 'upload_created':
    case 'part_sent':
    case 'progressed':
    case 'sent':
    case 'send_failed':
    case 'link_written':
    case 'link_accepted':
      return afterSending(file, event, context)
    case 'bytes_missing':
      return withoutBytes(file)
    case 'row_gone':
      return from(file, ['captured', 'preparing', 'queued', 'uploading'], { state: 'refused', problem: ROW_GONE })
    case 'retried':
      return retried(file)
    case 'woken':
      return file.notBeforeMs === 0 ? undefined : { ...file, notBeforeMs: 0 }
    case 'paused':
      return file.isPaused === event.isPaused ? undefined : { ...file, isPaused: event.isPaused }
    case 'used':
      return { ...file, usedAtMs: Math.max(file.usedAtMs, context.nowMs) }
    case 'announced':
    case 'wanted':
    case 'fetch_started':
    case 'fetched':
    case 'fetch_failed':
    case 'evicted':
      return afterFetching(file, event, context)
    default:
      return event satisfies never
  }
}

function afterSending(file: FileEntry, event: SendEvent, context: EventContext): FileEntry | undefined {
  switch (event.kind) {
    case 'send_started':
      return from(file, ['queued'], { state: 'uploading', ...(file.uploadUrl === undefined && { sentBytes: 0 }) })
    case 'upload_created':
      return from(file, ['uploading'], { uploadUrl: event.url, sentBytes: 0 })
    case 'part_sent':
      return from(file, ['uploading'], { sentBytes: event.sentBytes, ...CALM })
    case 'progressed':
      return from(file, ['uploading'], { sentBytes: event.sentBytes })
    case 'sent':
      return from(file, ['uploading'], { state: 'uploaded', sentBytes: file.size, uploadUrl: undefined, ...CALM })
    case 'send_failed':
      return from(file, ['uploading'], {
        ...delayed(file, event, context),
        state: sendFailedState(file, event.failure),
      })
    case 'link_written':
      return from(file, ['uploaded'], { linkPosition: event.position ?? 0 })
    case 'link_accepted':
      return from(file, ['uploaded'], { state: 'linked', linkPosition: undefined })
    default:
      return event satisfies never
  }
}

function afterFetching(file: FileEntry, event: FetchEvent, context: EventContext): FileEntry | undefined {
  switch (event.kind) {
    case 'announced':
      return from(file, ['elsewhere'], { state: 'remote' })
    case 'wanted':
      return wanted(file, event.by, context)
    case 'fetch_started':
      return from(file, ['queued_download'], { state: 'downloading' })
    case 'fetched':
      return from(file, ['downloading'], {
        state: 'cached',
        bytesName: event.bytesName,
        size: event.size,
        usedAtMs: Math.max(file.usedAtMs, context.nowMs),
        ...CALM,
      })
    case 'fetch_failed':
      return from(file, ['downloading'], {
        ...delayed(file, event, context),
        state: event.failure === 'final' ? 'unavailable' : 'queued_download',
      })
    case 'evicted':
      return isEvictable(file) ? { ...file, state: 'evicted', bytesName: undefined } : undefined
    default:
      return event satisfies never
  }
}

/** Queues a download; a file that a person opened comes before those that are only due. */
function wanted(file: FileEntry, by: 'person' | 'rows', { nowMs }: EventContext): FileEntry | undefined {
  if (by === 'rows') return from(file, ['remote'], { state: 'queued_download', ...CALM })
  if (file.state === 'queued_download' || file.state === 'downloading') return { ...file, usedAtMs: nowMs }
  return from(file, ['remote', 'evicted', 'unavailable'], { state: 'queued_download', usedAtMs: nowMs, ...CALM })
}

const CALM = { attempts: 0, doubts: 0, notBeforeMs: 0, problem: undefined } as const

const ROW_GONE: FileProblem = {
  code: 'row_gone',
  message: 'The record that names this file is no longer on this device. The file was not sent.',
  status: undefined,
}

const BYTES_MISSING: FileProblem = {
  code: 'bytes_missing',
  message: 'This device no longer has the file. The browser may have deleted it to free space.',
  status: undefined,
}

function from(file: FileEntry, states: readonly FileState[], change: Partial<FileEntry>): FileEntry | undefined {
  return states.includes(file.state) ? { ...file, ...change } : undefined
}

function afterStop(file: FileEntry): FileEntry | undefined {
  switch (file.state) {
    case 'preparing':
      return { ...file, state: 'captured' }
    case 'uploading':
      return { ...file, state: 'queued' }
    case 'downloading':
      return { ...file, state: 'queued_download' }
    default:
      return undefined
  }
}

function sendFailedState(file: FileEntry, failure: FailureKind): FileState {
  return failure === 'final' || (failure === 'doubt' && file.doubts + 1 >= DOUBTFUL_ATTEMPTS_MAX) ? 'refused' : 'queued'
}

function delayed(file: FileEntry, event: Failure, { nowMs, random }: EventContext): Partial<FileEntry> {
  const attempts = (event.isFurther ? 0 : file.attempts) + 1
  const delayMs = fileRetryDelayMs(attempts, event.retryAfterMs, random)
  const doubts = file.doubts + (event.failure === 'doubt' ? 1 : 0)
  return { attempts, doubts, notBeforeMs: nowMs + delayMs, problem: event.problem }
}

/** The delay after the `attempt`-th failure in a row (from 1): 5, 10, 20 s … 10 min, ±20 %, and never before the server's `retry-after`, up to an hour. */
export function fileRetryDelayMs(attempt: number, retryAfterMs: number | undefined, random: number): number {
  const base = Math.min(FILE_RETRY_MS_MAX, FILE_RETRY_MS_MIN * 2 ** Math.min(attempt - 1, 16))
  return Math.min(FILE_WAIT_MS_MAX, Math.max(base * (0.8 + 0.4 * random), retryAfterMs ?? 0))
}

function retried(file: FileEntry): FileEntry | undefined {
  if (file.state === 'unavailable') return { ...file, state: 'queued_download', ...CALM }
  if (file.state !== 'refused') return from(file, ['queued', 'queued_download'], { ...CALM, isPaused: false })
  // Without its bytes there is nothing to send.
  return file.bytesName === undefined ? undefined : { ...file, state: 'queued', isPaused: false, ...CALM }
}

function withoutBytes(file: FileEntry): FileEntry | undefined {
  if (isEvictable(file)) return { ...file, state: 'evicted', bytesName: undefined }
  if (!isUnsent(file) || file.bytesName === undefined) return undefined
  return { ...file, state: 'refused', bytesName: undefined, problem: BYTES_MISSING }
}
