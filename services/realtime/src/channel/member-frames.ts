import type { UserBroadcast, EncodedFrame, Ref } from '../wire/frames.ts'
import { encodeBroadcast, encodeText, type FanOut } from '../wire/encode.ts'
import type { Line } from './context.ts'

/** Writes messages of one membership in the client's protocol version. */
export class MemberFrames {
  readonly #line: Line
  readonly #topic: string
  readonly #joinRef: Ref
  readonly #channel: string

  /** @param channel - the topic without its prefix */
  constructor(line: Line, { topic, joinRef, channel }: { topic: string; joinRef: Ref; channel: string }) {
    this.#line = line
    this.#topic = topic
    this.#joinRef = joinRef
    this.#channel = channel
  }

  /** Replies to the message with this ref. */
  reply(ref: Ref, status: 'ok' | 'error', response: unknown): void {
    this.push('phx_reply', { status, response }, ref)
  }

  /** Sends the status of an extension. */
  system(extension: string, status: 'ok' | 'error', message: string): void {
    this.push('system', { extension, status, message, channel: this.#channel }, null)
  }

  push(event: string, payload: unknown, ref: Ref = this.#joinRef): void {
    this.#line.send({ joinRef: this.#joinRef, ref, topic: this.#topic, event, payload })
  }

  /** @param payload - JSON text */
  pushText(event: string, payload: string): void {
    this.#line.sendFrame(encodeText(this.#line.version, this.#topic, event, payload, this.#joinRef))
  }

  /** Sends a message shared with other members. */
  fanOut(fanOut: FanOut): void {
    this.#sendIfAny(fanOut.frame(this.#line.version))
  }

  broadcast(broadcast: UserBroadcast): void {
    this.#sendIfAny(encodeBroadcast(this.#line.version, this.#topic, broadcast))
  }

  /** @param frame - `undefined` if the client's version cannot represent it */
  #sendIfAny(frame: EncodedFrame | undefined): void {
    if (frame) this.#line.sendFrame(frame)
  }
}
