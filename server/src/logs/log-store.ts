import { mkdir, open, type FileHandle } from 'node:fs/promises'
import type { FoundLogEntries, LogSearch } from '@holdfast/console'
import { errorMessage, type Clock, type Logger, type LogLevel } from '@holdfast/foundation'
import type { LogEntry, LogService } from '@holdfast/protocol'
import { FLUSH_MS, LOG_BYTES_MAX, QUEUED_LINES_MAX, SEGMENT_AGE_MAX_MS, SEGMENT_BYTES_MAX } from './limits.ts'
import { type AnsweredRequest, renderLine, renderRequest } from './render-entry.ts'
import { searchSegments } from './search-segments.ts'
import { deleteOldSegments, listSegments, nameSegment, pathOfSegment } from './segments.ts'
import { SegmentShares } from './segment-shares.ts'

export interface LogStoreOptions {
  /** Created with the first line. */
  readonly folder: string
  /** Also receives all lines, and problems of the store. */
  readonly logger: Logger
  readonly clock: Clock
}

/** The file that lines are appended to. */
interface OpenSegment {
  readonly name: string
  readonly startMs: number
  readonly handle: FileHandle
  bytes: number
}

/**
 * The log that the console searches: files of JSON lines, deleted oldest first. Lines are queued and written together, so that no request waits for the disk. What
 * does not fit is dropped and counted.
 */
export class LogStore implements AsyncDisposable {
  readonly #options: LogStoreOptions
  readonly #shares = new SegmentShares()
  #queue: { readonly source: string; readonly entry: LogEntry }[] = []
  #isWriting = false
  #timer: NodeJS.Timeout | undefined
  #flushed: Promise<void> = Promise.resolve()
  #segment: OpenSegment | undefined
  #dropped = 0

  constructor(options: LogStoreOptions) {
    this.#options = options
  }

  /** Begins to write. Until then lines wait, because the data folder may not exist or belong to another server. */
  begin(): void {
    this.#isWriting = true
    this.#schedule()
  }

  /** Lines that were not kept. */
  get dropped(): number {
    return this.#dropped
  }

  /** Returns a logger of a service, which also writes to the server's log. */
  loggerFor(service: LogService): Logger {
    const { logger } = this.#options
    return {
      log: (level: LogLevel, message, fields = {}) => {
        logger.log(level, message, fields)
        const entry = renderLine(service, level, message, fields, this.#now())
        if (entry) this.#add(sourceOf(entry), entry)
      },
    }
  }

  addRequest(request: AnsweredRequest, network: string): void {
    const entry = renderRequest(request, this.#now())
    if (entry) this.#add(entry.userId ?? network, entry)
  }

  /** Finds entries, newest first. */
  async search(search: LogSearch): Promise<FoundLogEntries> {
    await this.flush()
    const { folder } = this.#options
    const segments = await listSegments(folder)
    const current = this.#segment
    // A line that is being written now is incomplete.
    const whole = segments.map((one) => (one.name === current?.name ? { ...one, bytes: current.bytes } : one))
    return await searchSegments(folder, whole, search)
  }

  /** Writes what is queued. */
  async flush(): Promise<void> {
    if (!this.#isWriting) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#flushed = this.#flushed.then(() => this.#write())
    await this.#flushed
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.flush()
    this.#isWriting = false
    clearTimeout(this.#timer)
    await this.#segment?.handle.close()
    this.#segment = undefined
  }

  #now(): string {
    return new Date(this.#options.clock.now()).toISOString()
  }

  #add(source: string, entry: LogEntry): void {
    if (this.#queue.length >= QUEUED_LINES_MAX) {
      this.#dropped += 1
      return
    }
    this.#queue.push({ source, entry })
    this.#schedule()
  }

  #schedule(): void {
    if (!this.#isWriting || this.#queue.length === 0) return
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref()
  }

  async #write(): Promise<void> {
    const queue = this.#queue
    if (queue.length === 0) return
    this.#queue = []
    try {
      await this.#append(queue)
    } catch (error) {
      // A full disk must not stop requests. The next lines go to a new file, because this one may end in the middle of a line.
      this.#dropped += queue.length
      await this.#segment?.handle.close().catch(() => undefined)
      this.#segment = undefined
      this.#options.logger.log('warn', 'the log for the console cannot be written', { error: errorMessage(error) })
    }
  }

  async #append(queue: readonly { readonly source: string; readonly entry: LogEntry }[]): Promise<void> {
    let segment = await this.#openSegment()
    let lines: string[] = []
    const write = async (): Promise<void> => {
      const bytes = Buffer.from(lines.join(''))
      lines = []
      await segment.handle.appendFile(bytes)
      segment.bytes += bytes.length
    }
    let pending = segment.bytes
    for (const { source, entry } of queue) {
      const line = `${JSON.stringify(entry)}\n`
      const bytes = Buffer.byteLength(line)
      if (pending + bytes > SEGMENT_BYTES_MAX) {
        await write()
        segment = await this.#openSegment(true)
        pending = segment.bytes
      }
      if (!this.#shares.take(source, bytes)) {
        this.#dropped += 1
        continue
      }
      lines.push(line)
      pending += bytes
    }
    await write()
  }

  async #openSegment(isFull = false): Promise<OpenSegment> {
    const { folder, clock } = this.#options
    const now = clock.now()
    const current = this.#segment
    if (current && !isFull && now - current.startMs < SEGMENT_AGE_MAX_MS) return current
    this.#segment = undefined
    await current?.handle.close()
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await deleteOldSegments(folder, now, { bytesMax: LOG_BYTES_MAX - SEGMENT_BYTES_MAX })
    // Also after the clock was set back, a newer segment sorts last.
    const startMs = Math.max(now, (current?.startMs ?? 0) + 1)
    const name = nameSegment(startMs)
    const handle = await open(pathOfSegment(folder, name), 'a', 0o600)
    const opened = { name, startMs, handle, bytes: 0 }
    this.#segment = opened
    const dropped = this.#shares.restart()
    if (dropped.length > 0) await this.#noteDropped(opened, dropped)
    return opened
  }

  async #noteDropped(segment: OpenSegment, dropped: readonly (readonly [string, number])[]): Promise<void> {
    const entry: LogEntry = {
      at: this.#now(),
      level: 'warn',
      service: 'server',
      message: 'lines of sources that filled their share of the log were not kept',
      fields: { lines: Object.fromEntries(dropped.slice(0, 20)), sources: dropped.length },
    }
    const line = Buffer.from(`${JSON.stringify(entry)}\n`)
    await segment.handle.appendFile(line)
    segment.bytes += line.length
  }
}

function sourceOf({ userId, function: name, service }: LogEntry): string {
  return userId ?? (name === undefined ? service : `function ${name}`)
}
