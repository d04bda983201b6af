import { backoffMs } from '@holdfast/protocol'
import { DOUBTFUL_ATTEMPTS_MAX, FILE_RETRY_MS_MAX, FILE_RETRY_MS_MIN, FILE_WAIT_MS_MAX } from './limits.ts'

/**
 * State of a file. The first line applies to files added on this device, the second to files of other devices.
 *
 * `elsewhere`: the row has synced, but the other device has not uploaded the bytes. `unavailable`: the server has no such object for this user.
 */
export type FileState =
  | ('captured' | 'preparing' | 'queued' | 'uploading' | 'uploaded' | 'linked' | 'refused')
  | ('elsewhere' | 'remote' | 'queued_download' | 'downloading' | 'cached' | 'evicted' | 'unavailable')

/** Why a transfer failed. */
export interface FileProblem {
  /** Storage's `error.code`, such as `EntityTooLarge`, or one of the client's: `network`, `row_gone`, `bytes_missing`. */
  readonly code: string
  readonly message: string
  /** HTTP status, if storage responded. */
  readonly status: number | undefined
}

/** Local state of one file. */
export interface FileEntry {
  /** Also the id of the row that references the file. */
  readonly id: string
  readonly bucket: string
  readonly path: string
  readonly name: string
  readonly mediaType: string
  /** In bytes; from the row until the bytes are local. */
  readonly size: number
  readonly state: FileState
  /** The user paused this file. */
  readonly isPaused: boolean
  /** Downloaded without being opened. */
  readonly isEager: boolean
  /** Name in the file store; `undefined` if the bytes are not local. */
  readonly bytesName: string | undefined
  /** URL of the resumable upload in progress. */
  readonly uploadUrl: string | undefined
  /** Upload progress. While sending, some of these bytes may not have arrived. */
  readonly sentBytes: number
  /** Consecutive failures, and how many of them were refusals. */
  readonly attempts: number
  readonly doubts: number
  /** Milliseconds since the epoch. */
  readonly notBeforeMs: number
  readonly problem: FileProblem | undefined
  /** Outbox position of the change that links the file. */
  readonly linkPosition: number | undefined
  /** Last use, or arrival, in ms since the epoch; 0 before either. */
  readonly usedAtMs: number
}

/** Transfer state of a file for which nothing has been sent or received. */
export const NO_TRANSFER = {
  isPaused: false,
  uploadUrl: undefined,
  sentBytes: 0,
  attempts: 0,
  doubts: 0,
  notBeforeMs: 0,
  problem: undefined,
  linkPosition: undefined,
} satisfies Partial<FileEntry>

export type FailureKind =
  /** Network or server failure: retried indefinitely. */
  | 'retry'
  /** A refusal that may be temporary: retried a few times. */
  | 'doubt'
  /** A permanent refusal. */
  | 'final'

interface Failure {
  readonly failure: FailureKind
  readonly problem: FileProblem
  readonly retryAfterMs: number | undefined
  /** Progress was made, so it counts as the first consecutive failure. */
  readonly isFurther?: boolean
}

type SendEvent =
  | { readonly kind: 'send_started' }
  | { readonly kind: 'upload_created'; readonly url: string }
  | { readonly kind: 'part_sent'; readonly sentBytes: number }
  /** Bytes handed to the network; they may not arrive. */
  | { readonly kind: 'progressed'; readonly sentBytes: number }
  | { readonly kind: 'sent' }
  | ({ readonly kind: 'send_failed' } & Failure)
  /** `undefined`: no row is written. */
  | { readonly kind: 'link_written'; readonly position: number | undefined }
  /** The server has decided about the change that linked the file. */
  | { readonly kind: 'link_accepted' }

type FetchEvent =
  /** The row says that the bytes are on the server. */
  | { readonly kind: 'announced' }
  /** A user opened it, or its row requests eager download. */
  | { readonly kind: 'wanted'; readonly by: 'person' | 'rows' }
  | { readonly kind: 'fetch_started' }
  | { readonly kind: 'fetched'; readonly bytesName: string; readonly size: number }
  | ({ readonly kind: 'fetch_failed' } & Failure)
  | { readonly kind: 'evicted' }

export type FileEvent =
  | SendEvent
  | FetchEvent
  /** The program has started; nothing is in progress. */
  | { readonly kind: 'restarted' }
  /** This device stopped the transfer, which is not a failure. */
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'prepare_started' }
  | { readonly kind: 'prepared'; readonly bytesName: string; readonly size: number; readonly mediaType: string }
  /** The bytes are no longer in the store. */
  | { readonly kind: 'bytes_missing' }
  | { readonly kind: 'row_gone' }
  | { readonly kind: 'used' }
  /** Retry requested by the user, or the row has reappeared. */
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

/** Whether the bytes exist only here: they must not be deleted without the user's consent. */
export function isUnsent({ state }: Pick<FileEntry, 'state'>): boolean {
  return UNSENT.has(state)
}

/** Whether the bytes can be fetched again. */
export function isEvictable({ state }: Pick<FileEntry, 'state'>): boolean {
  return EVICTABLE.has(state)
}

/**
 * Returns the next state of a file.
 *
 * @returns `undefined` if the event does not apply to the current state, for example because it came late
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

/** Queues a download; opened files precede eager ones. */
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

/** Returns the delay after the `attempt`-th consecutive failure (from 1): 5, 10, 20 s … 10 min, ±20 %, at least the server's `retry-after` up to an hour. */
export function fileRetryDelayMs(attempt: number, retryAfterMs: number | undefined, random: number): number {
  const delayMs = backoffMs(attempt - 1, FILE_RETRY_MS_MIN, FILE_RETRY_MS_MAX, () => random)
  return Math.min(FILE_WAIT_MS_MAX, Math.max(delayMs, retryAfterMs ?? 0))
}

function retried(file: FileEntry): FileEntry | undefined {
  if (file.state === 'unavailable') return { ...file, state: 'queued_download', ...CALM }
  if (file.state !== 'refused') return from(file, ['queued', 'queued_download'], { ...CALM, isPaused: false })
  // Without bytes there is nothing to send.
  return file.bytesName === undefined ? undefined : { ...file, state: 'queued', isPaused: false, ...CALM }
}

function withoutBytes(file: FileEntry): FileEntry | undefined {
  if (isEvictable(file)) return { ...file, state: 'evicted', bytesName: undefined }
  if (!isUnsent(file) || file.bytesName === undefined) return undefined
  return { ...file, state: 'refused', bytesName: undefined, problem: BYTES_MISSING }
}
