import { steadyClock } from '../steady-clock.ts'
import { createValue, type Value } from '../value.ts'
import { judgeLink, needsProbe, STREAM_SILENT_MS, uploadTimeout, type LinkFacts, type LinkState } from './link-state.ts'

/** Check interval in ms. */
const LOOK_EVERY_MS = 500
/** Timeout in ms of a probe, after which the next is sent. */
const PROBE_TIMEOUT_MS = 20_000
/** Minimum interval in ms between stream restarts. */
const RESTART_EVERY_MS = 30_000
/** Uploads up to this many bytes are retried immediately when the connection is back, because their own connection may be dead. */
const SMALL_UPLOAD_BYTES = 65_536

export interface Link extends Disposable {
  readonly state: Value<LinkState>
  /** Call on bytes from the server. `stream`: on the sync stream. */
  heard(from?: 'stream'): void
  /** Runs an upload; aborts it if the connection is silent for too long, given its size. */
  upload<T>(bytes: number, send: (signal: AbortSignal) => Promise<T>): Promise<T>
  /** Checks now because something has changed. */
  look(): void
}

export interface LinkOptions {
  /** Probes the server. Resolves on a response. */
  readonly probe: (signal: AbortSignal) => Promise<void>
  /** Returns the state of the stream. */
  readonly stream: () => 'open' | 'opening' | 'closed'
  /** Whether the user wants to sync; otherwise nothing is expected. */
  readonly isWanted: () => boolean
  readonly isWatched: () => boolean
  /** The server responds, but the stream is dead. */
  readonly restartStream: () => void
  /** The server responds again. */
  readonly onBack: () => void
  readonly now: () => number
}

interface Upload {
  readonly bytes: number
  readonly startedAt: number
  readonly controller: AbortController
}

interface Probe {
  readonly sentAt: number
  readonly controller: AbortController
}

/** Monitors whether the server is reachable: a dead connection looks like an idle one. */
export function watchLink(options: LinkOptions): Link {
  return new LinkWatch({ ...options, now: steadyClock(options.now) }, options.now)
}

class LinkWatch implements Link {
  readonly state = createValue<LinkState>({ kind: 'alive' })
  readonly #options: LinkOptions
  /** Wall clock for display; durations use the clock of the options. */
  readonly #clock: () => number
  readonly #uploads = new Set<Upload>()
  readonly #looking: ReturnType<typeof setInterval>
  #startedAt: number
  #heardAt: number | undefined
  #streamHeardAt: number | undefined
  #restartedAt = Number.NEGATIVE_INFINITY
  #probe: Probe | undefined
  #probeEndedAt = Number.NEGATIVE_INFINITY
  #isDisposed = false

  constructor(options: LinkOptions, clock: () => number) {
    this.#options = options
    this.#clock = clock
    this.#startedAt = options.now()
    this.#looking = setInterval(this.look, LOOK_EVERY_MS)
    ;(this.#looking as { unref?: () => void }).unref?.() // a Node process may exit while a database is open
  }

  readonly heard = (from?: 'stream'): void => {
    const isBack = this.state.get().kind === 'silent'
    this.#heardAt = this.#options.now()
    if (from === 'stream') this.#streamHeardAt = this.#heardAt
    this.#probe?.controller.abort()
    this.#probe = undefined
    this.#set('alive')
    if (!isBack || this.#isDisposed) return
    for (const { bytes, controller } of this.#uploads) {
      if (bytes <= SMALL_UPLOAD_BYTES) controller.abort(new Error('The connection was silent and is back.'))
    }
    if (from !== 'stream') this.#restartStream()
    this.#options.onBack()
  }

  readonly upload = async <T>(bytes: number, send: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const upload = { bytes, startedAt: this.#options.now(), controller: new AbortController() }
    this.#uploads.add(upload)
    try {
      const answer = await send(upload.controller.signal)
      this.heard()
      return answer
    } finally {
      this.#uploads.delete(upload)
    }
  }

  readonly look = (): void => {
    if (this.#isDisposed) return
    if (!this.#options.isWanted()) {
      this.#startedAt = this.#options.now()
      this.#streamHeardAt = undefined
      this.#set('alive')
    } else {
      this.#giveUpUploads()
      if (needsProbe(this.#readFacts())) void this.#sendProbe()
      this.#set(judgeLink(this.state.get().kind, this.#readFacts()))
      if (this.#isStreamDead()) this.#restartStream()
    }
  };

  [Symbol.dispose](): void {
    this.#isDisposed = true
    clearInterval(this.#looking)
    this.#probe?.controller.abort()
    for (const { controller } of this.#uploads) controller.abort()
  }

  #readFacts(): LinkFacts {
    const { stream, isWatched, now } = this.#options
    const at = now()
    const began = [...this.#uploads].map(({ startedAt }) => startedAt)
    return {
      isExpecting: stream() !== 'closed' || began.length > 0 || this.state.get().kind === 'silent',
      isWatched: isWatched(),
      hasHeard: this.#heardAt !== undefined,
      quietMs: at - (this.#heardAt ?? this.#startedAt),
      probeMs: this.#probe && at - this.#probe.sentAt,
      sinceProbeMs: at - this.#probeEndedAt,
      unansweredMs: began.length === 0 ? 0 : at - Math.min(...began),
    }
  }

  #set(kind: LinkState['kind']): void {
    if (kind === this.state.get().kind) return
    const quietMs = this.#options.now() - (this.#heardAt ?? this.#startedAt)
    this.state.set(kind === 'silent' ? { kind, sinceMs: this.#clock() - quietMs } : { kind })
  }

  async #sendProbe(): Promise<void> {
    const { now, probe: ask, stream } = this.#options
    const probe: Probe = { sentAt: now(), controller: new AbortController() }
    this.#probe = probe
    const timer = setTimeout(() => probe.controller.abort(), PROBE_TIMEOUT_MS)
    const hasAnswer = await ask(probe.controller.signal).then(
      () => true,
      () => false,
    )
    clearTimeout(timer)
    if (this.#probe !== probe || this.#isDisposed) return
    this.#probeEndedAt = now()
    this.#probe = undefined
    if (hasAnswer) this.heard()
    // An unreachable server does not respond either. Without a stream, the failed attempts to open one report it.
    else if (stream() === 'open' || this.#uploads.size > 0) this.#set('silent')
  }

  #giveUpUploads(): void {
    const at = this.#options.now()
    for (const { bytes, startedAt, controller } of this.#uploads) {
      const quietMs = at - Math.max(startedAt, this.#heardAt ?? 0)
      const reason = uploadTimeout({ bytes, ageMs: at - startedAt, quietMs })
      if (reason !== undefined) controller.abort(new Error(reason))
    }
  }

  /** Whether the stream has been silent too long. Only for connections that report received bytes; otherwise an idle stream looks dead. */
  #isStreamDead(): boolean {
    const { stream, now } = this.#options
    return (
      this.state.get().kind === 'alive' &&
      stream() === 'open' &&
      this.#streamHeardAt !== undefined &&
      now() - this.#streamHeardAt >= STREAM_SILENT_MS
    )
  }

  #restartStream(): void {
    const { stream, now, restartStream } = this.#options
    if (stream() !== 'open' || now() - this.#restartedAt < RESTART_EVERY_MS) return
    this.#restartedAt = now()
    restartStream()
  }
}
