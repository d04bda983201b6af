import { createValue, type Value } from '../value.ts'
import { judgeLink, needsProbe, STREAM_SILENT_MS, uploadTimeout, type LinkFacts, type LinkState } from './link-state.ts'

/** How often durations are looked at, in milliseconds. */
const LOOK_EVERY_MS = 500
/** A probe is given up after this long, in milliseconds, and the next one is sent. */
const PROBE_TIMEOUT_MS = 20_000
/** The stream is opened again at most this often, in milliseconds. */
const RESTART_EVERY_MS = 30_000
/** An upload of at most so many bytes is repeated at once when the line is back: its own connection may not be. */
const SMALL_UPLOAD_BYTES = 65_536

export interface Link extends Disposable {
  readonly state: Value<LinkState>
  /** A byte came from the server. `stream`: on the sync stream. */
  heard(from?: 'stream'): void
  /** Runs an upload, and aborts it when the line is silent for too long for its size. */
  upload<T>(bytes: number, send: (signal: AbortSignal) => Promise<T>): Promise<T>
  /** Looks now: something has changed. */
  look(): void
}

export interface LinkOptions {
  /** Asks the server for a sign of life. Resolves when it has answered. */
  readonly probe: (signal: AbortSignal) => Promise<void>
  /** How the stream stands. */
  readonly stream: () => 'open' | 'opening' | 'closed'
  /** The person wants to sync; otherwise nothing is expected. */
  readonly isWanted: () => boolean
  readonly isWatched: () => boolean
  /** The server answers, and the stream is dead. */
  readonly restartStream: () => void
  /** The server answers again. */
  readonly onBack: () => void
  readonly now: () => number
}

interface Upload {
  readonly bytes: number
  readonly startedAt: number
  readonly controller: AbortController
}

/** Watches whether the server is still there: a connection that passes nothing looks like one on which nothing happens. */
export function watchLink(options: LinkOptions): Link {
  const { now } = options
  const state = createValue<LinkState>({ kind: 'alive' })
  const uploads = new Set<Upload>()
  let startedAt = now()
  let heardAt: number | undefined
  let streamHeardAt: number | undefined
  let restartedAt = Number.NEGATIVE_INFINITY
  let probe: { readonly sentAt: number; readonly controller: AbortController } | undefined
  let probeEndedAt = Number.NEGATIVE_INFINITY
  let isDisposed = false
  const looking = setInterval(look, LOOK_EVERY_MS)
  ;(looking as { unref?: () => void }).unref?.() // a Node process may end while a database is open

  return {
    state,
    heard,
    look,
    async upload(bytes, send) {
      const upload = { bytes, startedAt: now(), controller: new AbortController() }
      uploads.add(upload)
      try {
        const answer = await send(upload.controller.signal)
        heard()
        return answer
      } finally {
        uploads.delete(upload)
      }
    },
    [Symbol.dispose]() {
      isDisposed = true
      clearInterval(looking)
      probe?.controller.abort()
      for (const { controller } of uploads) controller.abort()
    },
  }

  function heard(from?: 'stream'): void {
    const isBack = state.get().kind === 'silent'
    heardAt = now()
    if (from === 'stream') streamHeardAt = heardAt
    probe?.controller.abort()
    probe = undefined
    set('alive')
    if (!isBack || isDisposed) return
    for (const { bytes, controller } of uploads) {
      if (bytes <= SMALL_UPLOAD_BYTES) controller.abort(new Error('The line was silent and is back.'))
    }
    if (from !== 'stream') restartStream()
    options.onBack()
  }

  function look(): void {
    if (isDisposed) return
    if (!options.isWanted()) {
      startedAt = now()
      streamHeardAt = undefined
      set('alive')
    } else {
      giveUpUploads()
      const facts = readFacts()
      if (needsProbe(facts)) void sendProbe()
      set(judgeLink(state.get().kind, readFacts()))
      if (isStreamDead()) restartStream()
    }
  }

  function readFacts(): LinkFacts {
    const at = now()
    const oldest = Math.min(...[...uploads].map((upload) => upload.startedAt))
    return {
      isExpecting: options.stream() !== 'closed' || uploads.size > 0 || state.get().kind === 'silent',
      isWatched: options.isWatched(),
      hasHeard: heardAt !== undefined,
      quietMs: at - (heardAt ?? startedAt),
      probeMs: probe && at - probe.sentAt,
      sinceProbeMs: at - probeEndedAt,
      unansweredMs: uploads.size === 0 ? 0 : at - oldest,
    }
  }

  function set(kind: LinkState['kind']): void {
    if (kind === state.get().kind) return
    state.set(kind === 'silent' ? { kind, sinceMs: heardAt ?? startedAt } : { kind })
  }

  async function sendProbe(): Promise<void> {
    const mine = { sentAt: now(), controller: new AbortController() }
    probe = mine
    const timer = setTimeout(() => mine.controller.abort(), PROBE_TIMEOUT_MS)
    const hasAnswer = await options.probe(mine.controller.signal).then(
      () => true,
      () => false,
    )
    clearTimeout(timer)
    if (probe !== mine || isDisposed) return
    probeEndedAt = now()
    probe = undefined
    if (hasAnswer) heard()
    // A server that cannot be reached does not answer either. Without a stream the failed attempts to open one say so.
    else if (options.stream() === 'open' || uploads.size > 0) set('silent')
  }

  function giveUpUploads(): void {
    const at = now()
    for (const { bytes, startedAt: began, controller } of uploads) {
      const ageMs = at - began
      const reason = uploadTimeout({ bytes, ageMs, quietMs: at - Math.max(began, heardAt ?? 0) })
      if (reason !== undefined) controller.abort(new Error(reason))
    }
  }

  /** Only where bytes of the stream are told: else a stream on which nothing happens looks the same. */
  function isStreamDead(): boolean {
    return (
      state.get().kind === 'alive' &&
      options.stream() === 'open' &&
      streamHeardAt !== undefined &&
      now() - streamHeardAt >= STREAM_SILENT_MS
    )
  }

  function restartStream(): void {
    if (options.stream() !== 'open' || now() - restartedAt < RESTART_EVERY_MS) return
    restartedAt = now()
    options.restartStream()
  }
}
