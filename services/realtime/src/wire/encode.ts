import type { EncodedFrame, Ref, ServerMessage, UserBroadcast, Version } from './frames.ts'
import { createFrame } from './web-socket-frame.ts'

/** First byte of a binary broadcast from the server. */
const KIND_BROADCAST = 4

/** Text lengths in a binary frame are one byte. */
const TEXT_BYTES_MAX = 255

export function encodeMessage(version: Version, message: ServerMessage): EncodedFrame {
  const { joinRef, ref, topic, event, payload } = message
  const value = version === '2.0.0' ? [joinRef, ref, topic, event, payload] : { topic, event, payload, ref }
  return createFrame([Buffer.from(JSON.stringify(value))], false)
}

/**
 * Encodes a message with JSON text as its payload, without parsing it again.
 *
 * @param payload - JSON text
 */
export function encodeText(
  version: Version,
  topic: string,
  event: string,
  payload: string,
  joinRef: Ref = null,
): EncodedFrame {
  const [name, what] = [JSON.stringify(topic), JSON.stringify(event)]
  const text =
    version === '2.0.0'
      ? `[${JSON.stringify(joinRef)},null,${name},${what},${payload}]`
      : `{"topic":${name},"event":${what},"payload":${payload},"ref":null}`
  return createFrame([Buffer.from(text)], false)
}

/** @returns `undefined` for bytes in protocol 1.0.0 */
export function encodeBroadcast(version: Version, topic: string, broadcast: UserBroadcast): EncodedFrame | undefined {
  if (version === '2.0.0') {
    const binary = encodeBinaryBroadcast(topic, broadcast)
    if (binary) return binary
  }
  if (broadcast.encoding === 'binary') return undefined
  const { event, payload, meta } = broadcast
  const own = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString('utf8')
  const rest = meta === undefined ? '' : `,"meta":${meta}`
  return encodeText(
    version,
    topic,
    'broadcast',
    `{"type":"broadcast","event":${JSON.stringify(event)},"payload":${own}${rest}}`,
  )
}

/** @returns `undefined` if a text is too long for this format */
function encodeBinaryBroadcast(topic: string, broadcast: UserBroadcast): EncodedFrame | undefined {
  const texts = [topic, broadcast.event, broadcast.meta ?? ''].map((text) => Buffer.from(text))
  if (texts.some(({ length }) => length > TEXT_BYTES_MAX)) return undefined
  const encoding = broadcast.encoding === 'json' ? 1 : 0
  const header = Buffer.from([KIND_BROADCAST, ...texts.map(({ length }) => length), encoding])
  return createFrame([header, ...texts, broadcast.payload], true)
}

/** A message to all members of a topic, encoded once per protocol version in use. */
export class FanOut {
  readonly #encode: (version: Version) => EncodedFrame | undefined
  readonly #frames: Partial<Record<Version, EncodedFrame | 'none'>> = {}

  private constructor(encode: (version: Version) => EncodedFrame | undefined) {
    this.#encode = encode
  }

  static ofBroadcast(topic: string, broadcast: UserBroadcast): FanOut {
    return new FanOut((version) => encodeBroadcast(version, topic, broadcast))
  }

  /** @param payload - JSON text */
  static ofText(topic: string, event: string, payload: string): FanOut {
    return new FanOut((version) => encodeText(version, topic, event, payload))
  }

  frame(version: Version): EncodedFrame | undefined {
    const frame = (this.#frames[version] ??= this.#encode(version) ?? 'none')
    return frame === 'none' ? undefined : frame
  }
}
