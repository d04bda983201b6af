import { parseJson, isRecord } from '@holdfast/foundation'
import { elementTexts, memberTexts } from './json-text.ts'
import type { BroadcastFrame, ClientFrame, Encoding, PushFrame, Ref, Version } from './frames.ts'

/** First byte of a binary broadcast from a client. */
const KIND_BROADCAST_PUSH = 3

/** Header of a broadcast push: kind, five lengths, encoding. */
const BROADCAST_PUSH_HEADER_BYTES = 7

const ENCODINGS: readonly Encoding[] = ['binary', 'json']

/** Events whose payloads are forwarded to other clients. */
const PASSED_ON: ReadonlySet<string> = new Set(['broadcast', 'presence'])

/** @returns `undefined` for frames outside the protocol, which are dropped */
export function decodeFrame(version: Version, data: Buffer, isBinary: boolean): ClientFrame | undefined {
  if (isBinary) return version === '2.0.0' ? decodeBroadcastPush(data) : undefined
  const text = data.toString('utf8')
  const value = parseJson(text)
  const frame = version === '2.0.0' ? decodeArray(value) : decodeObject(value)
  if (!frame || !PASSED_ON.has(frame.event)) return frame
  const payloadText = version === '2.0.0' ? elementTexts(text)[4] : memberTexts(text).get('payload')
  return { ...frame, ...(isRecord(frame.payload) && payloadText !== undefined && { payloadText }) }
}

function decodeArray(value: unknown): PushFrame | undefined {
  if (!Array.isArray(value) || value.length !== 5) return undefined
  const [joinRef, ref, topic, event, payload] = value as readonly unknown[]
  return toPush(joinRef, ref, topic, event, payload)
}

function decodeObject(value: unknown): PushFrame | undefined {
  if (!isRecord(value)) return undefined
  return toPush(value['join_ref'], value['ref'], value['topic'], value['event'], value['payload'])
}

function toPush(
  joinRef: unknown,
  ref: unknown,
  topic: unknown,
  event: unknown,
  payload: unknown,
): PushFrame | undefined {
  if (!isRef(joinRef) || !isRef(ref) || typeof topic !== 'string' || typeof event !== 'string') return undefined
  return { kind: 'push', joinRef: joinRef ?? null, ref: ref ?? null, topic, event, payload: payload ?? {} }
}

/** Layout: kind, lengths of join_ref, ref, topic, event and metadata, encoding, the five texts, payload. */
function decodeBroadcastPush(data: Buffer): BroadcastFrame | undefined {
  if (data.length < BROADCAST_PUSH_HEADER_BYTES || data[0] !== KIND_BROADCAST_PUSH) return undefined
  const encoding = ENCODINGS[data[6] ?? -1]
  if (encoding === undefined) return undefined
  let offset = BROADCAST_PUSH_HEADER_BYTES
  const texts: string[] = []
  for (const length of data.subarray(1, 6)) {
    texts.push(data.toString('utf8', offset, offset + length))
    offset += length
  }
  if (offset > data.length) return undefined
  const [joinRef = '', ref = '', topic = '', event = ''] = texts
  const payload = data.subarray(offset)
  // Receivers parse the payload; invalid JSON would break every member of the topic.
  if (encoding === 'json' && parseJson(payload.toString('utf8')) === undefined) return undefined
  return { kind: 'broadcast', joinRef: joinRef || null, ref: ref || null, topic, event, encoding, payload }
}

function isRef(value: unknown): value is Ref | undefined {
  return value === null || value === undefined || typeof value === 'string' || typeof value === 'number'
}
