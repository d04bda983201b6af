import type { ControlLine, TokenExpiresInLine } from '@holdfast/protocol'
import { dataLine, encodeControlLine, type EncodedOps } from '../encode/lines.ts'
import type { LineSink } from '../stream/line-sink.ts'
import { ReaderPace } from '../stream/reader-pace.ts'
import { encodeComplete, encodeError, encodePayload, ERROR_CODE } from './frames.ts'
import { SLOW_SEND_MS } from './limits.ts'

const BSON = { kind: 'bson' } as const

/** As in the protocol: a device that asks for this many asks for any number. */
const CREDIT_MAX = 0x7fff_ffff

/** The connection of a sink. */
export interface FrameChannel {
  send(frame: Buffer): void
  /** Resolves when there is room for another frame or the connection is closed; `undefined` if there is room. */
  room(): Promise<void> | undefined
  /** Sends the last frame. */
  finish(frame: Buffer): void
}

/**
 * Writes lines as the payloads of one RSocket stream, no more than the device asks for. While it asks for none, one line waits; the newest line about the token
 * waits besides, so that keepalives take no memory.
 */
export class SocketSink implements LineSink {
  readonly format = BSON
  readonly pace = new ReaderPace()
  readonly #channel: FrameChannel
  readonly #streamId: number
  readonly #now: () => number
  #credit: number
  #token: TokenExpiresInLine | undefined
  #waitsSinceMs: number | undefined
  #isStopped = false
  /** Continues the line that waits for the device to ask. */
  #onCredit: (() => void) | undefined

  /** @param requestN - lines that the device asks for first */
  constructor(channel: FrameChannel, streamId: number, requestN: number, now: () => number) {
    this.#now = now
    this.#channel = channel
    this.#streamId = streamId
    this.#credit = requestN
  }

  get waitsSinceMs(): number | undefined {
    return this.#waitsSinceMs
  }

  /** The device asks for further lines. */
  request(count: number): void {
    this.#credit = Math.min(CREDIT_MAX, this.#credit + count)
    this.#proceed()
    this.#sendToken()
  }

  /** Sends no further lines: the device has left, or its stream is ending. */
  stop(): void {
    this.#isStopped = true
    this.#proceed()
  }

  async control(line: ControlLine): Promise<void> {
    if ('token_expires_in' in line) {
      this.#token = line
      this.#sendToken()
      return
    }
    await this.#write([encodeControlLine(BSON, line)])
  }

  async lines(bytes: Buffer): Promise<void> {
    for (const line of documentsOf(bytes)) await this.#write([line])
  }

  async data(bucket: string, after: number, hasMore: boolean, ops: EncodedOps): Promise<void> {
    this.pace.sent(ops.bytes)
    await this.#write(dataLine(BSON, { bucket, after: String(after), hasMore, ops }))
  }

  end(): void {
    // A device that asked for no line gets the news as an error, which it may get at any time.
    const isExpired = this.#token?.token_expires_in === 0
    this.#channel.finish(
      isExpired
        ? encodeError(this.#streamId, ERROR_CODE.applicationError, '[PSYNC_S2103] The token has expired')
        : encodeComplete(this.#streamId),
    )
  }

  async #write(parts: readonly Buffer[]): Promise<void> {
    const channel = this.#channel
    const sinceMs = (this.#waitsSinceMs = this.#now())
    while (this.#credit === 0 && !this.#isStopped) await new Promise<void>((proceed) => (this.#onCredit = proceed))
    if (!this.#isStopped) {
      this.#credit--
      channel.send(encodePayload(this.#streamId, parts))
      const room = channel.room()
      if (room) await room
    }
    this.#waitsSinceMs = undefined
    const tookMs = this.#now() - sinceMs
    if (tookMs >= SLOW_SEND_MS) this.pace.waited(tookMs)
    this.#sendToken()
  }

  #proceed(): void {
    const proceed = this.#onCredit
    this.#onCredit = undefined
    proceed?.()
  }

  /** Sends the newest line about the token, unless another line is being sent or the device asked for none. */
  #sendToken(): void {
    const token = this.#token
    if (!token || this.#credit === 0 || this.#waitsSinceMs !== undefined) return
    this.#token = undefined
    this.#credit--
    this.#channel.send(encodePayload(this.#streamId, [encodeControlLine(BSON, token)]))
  }
}

/** Splits concatenated BSON documents. */
function* documentsOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length;) {
    const end = at + bytes.readInt32LE(at)
    yield bytes.subarray(at, end)
    at = end
  }
}
