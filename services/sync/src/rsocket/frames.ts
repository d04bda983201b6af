/*
 * Frames of RSocket 1.0 over WebSocket, one per binary message: those that a device sends, and those that a sync stream answers with.
 * Source: https://rsocket.io/about/protocol
 */

/** Codes of ERROR frames. */
export const ERROR_CODE = {
  invalidSetup: 0x001,
  unsupportedSetup: 0x002,
  rejectedSetup: 0x003,
  rejectedResume: 0x004,
  connectionError: 0x101,
  applicationError: 0x201,
  rejected: 0x202,
  invalid: 0x204,
} as const

/** The device broke the protocol; its connection ends with an ERROR frame. */
export class FrameError extends Error {
  override readonly name = 'FrameError'
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** A frame from a device. Buffers are views of the message. */
export type ClientFrame =
  | {
      readonly kind: 'setup'
      /** Milliseconds without a frame after which either side is gone. */
      readonly lifetimeMs: number
      readonly metadataType: string
      readonly dataType: string
      readonly metadata: Buffer
    }
  | { readonly kind: 'keepalive'; readonly wantsReply: boolean; readonly data: Buffer }
  | {
      readonly kind: 'request stream'
      readonly streamId: number
      /** Payloads that the server may send until the device asks for more. */
      readonly requestN: number
      readonly metadata: Buffer
      readonly data: Buffer
    }
  | { readonly kind: 'request n'; readonly streamId: number; readonly requestN: number }
  | { readonly kind: 'cancel'; readonly streamId: number }
  /** The device closes a stream, or the connection (stream 0). */
  | { readonly kind: 'error'; readonly streamId: number }
  /** An interaction other than a stream. */
  | { readonly kind: 'other request'; readonly streamId: number }
  /** A frame that needs no reaction. */
  | { readonly kind: 'none' }

const TYPE = {
  setup: 0x01,
  lease: 0x02,
  keepalive: 0x03,
  requestResponse: 0x04,
  requestFnf: 0x05,
  requestStream: 0x06,
  requestChannel: 0x07,
  requestN: 0x08,
  cancel: 0x09,
  payload: 0x0a,
  error: 0x0b,
  metadataPush: 0x0c,
  resume: 0x0d,
  resumeOk: 0x0e,
} as const

const FLAG = { ignore: 0x200, metadata: 0x100, follows: 0x80, resume: 0x80, respond: 0x80, lease: 0x40, complete: 0x40 }
const NEXT = 0x20

const HEADER_BYTES = 6
const NOTHING: ClientFrame = { kind: 'none' }
const EMPTY = Buffer.alloc(0)

/** Reads the fields of a frame in order; throws instead of reading past its end. */
class Fields {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  take(length: number): Buffer {
    const end = this.#at + length
    if (end > this.#bytes.length) throw new FrameError(ERROR_CODE.connectionError, 'A frame is shorter than its fields')
    const taken = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return taken
  }

  number(bytes: 1 | 2 | 3 | 4): number {
    return this.take(bytes).readUIntBE(0, bytes)
  }

  rest(): Buffer {
    return this.take(this.#bytes.length - this.#at)
  }
}

/**
 * Decodes one message.
 *
 * @throws {FrameError} for a malformed frame, a protocol version other than 1, and features that the server lacks: fragments, leases, resumption
 */
export function decodeFrame(message: Buffer): ClientFrame {
  const fields = new Fields(message)
  const streamId = fields.number(4) & 0x7fff_ffff
  const head = fields.number(2)
  const type = head >> 10
  const flags = head & 0x3ff
  switch (type) {
    case TYPE.setup:
      return decodeSetup(fields, streamId, flags)
    case TYPE.keepalive:
      fields.take(8) // the position for resumption
      return { kind: 'keepalive', wantsReply: (flags & FLAG.respond) !== 0, data: fields.rest() }
    case TYPE.requestStream:
      return decodeRequest(fields, streamId, flags)
    case TYPE.requestN:
      return { kind: 'request n', streamId, requestN: requestNOf(fields) }
    case TYPE.cancel:
      return { kind: 'cancel', streamId }
    case TYPE.error:
      return { kind: 'error', streamId }
    case TYPE.requestResponse:
    case TYPE.requestChannel:
      return { kind: 'other request', streamId }
    case TYPE.requestFnf:
    case TYPE.metadataPush:
    case TYPE.payload:
    case TYPE.lease:
      return NOTHING
    case TYPE.resume:
      throw new FrameError(ERROR_CODE.rejectedResume, 'Connections cannot be resumed: open a new one')
    default:
      if ((flags & FLAG.ignore) !== 0) return NOTHING
      throw new FrameError(ERROR_CODE.connectionError, `A frame has the unknown type ${type}`)
  }
}

function decodeSetup(fields: Fields, streamId: number, flags: number): ClientFrame {
  if (streamId !== 0) throw new FrameError(ERROR_CODE.invalidSetup, 'SETUP belongs to stream 0')
  const major = fields.number(2)
  const minor = fields.number(2)
  if (major !== 1) throw new FrameError(ERROR_CODE.unsupportedSetup, `RSocket ${major}.${minor} is not supported`)
  fields.take(4) // the device's own interval of keepalives
  const lifetimeMs = fields.number(4)
  if ((flags & FLAG.resume) !== 0)
    throw new FrameError(ERROR_CODE.unsupportedSetup, 'Connections cannot be resumed: connect without a resume token')
  if ((flags & FLAG.lease) !== 0) throw new FrameError(ERROR_CODE.unsupportedSetup, 'Leases are not supported')
  const metadataType = fields.take(fields.number(1)).toString('latin1')
  const dataType = fields.take(fields.number(1)).toString('latin1')
  const metadata = metadataOf(fields, flags)
  return { kind: 'setup', lifetimeMs, metadataType, dataType, metadata }
}

function decodeRequest(fields: Fields, streamId: number, flags: number): ClientFrame {
  if (streamId === 0) throw new FrameError(ERROR_CODE.connectionError, 'A request belongs to a stream other than 0')
  if ((flags & FLAG.follows) !== 0)
    throw new FrameError(ERROR_CODE.connectionError, 'Requests in fragments are not supported: send one frame')
  const requestN = requestNOf(fields)
  const metadata = metadataOf(fields, flags)
  return { kind: 'request stream', streamId, requestN, metadata, data: fields.rest() }
}

function requestNOf(fields: Fields): number {
  const requestN = fields.number(4) & 0x7fff_ffff
  if (requestN === 0) throw new FrameError(ERROR_CODE.connectionError, 'A request must be for at least one payload')
  return requestN
}

function metadataOf(fields: Fields, flags: number): Buffer {
  return (flags & FLAG.metadata) === 0 ? EMPTY : fields.take(fields.number(3))
}

function header(streamId: number, type: number, flags: number, extraBytes: number): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES + extraBytes)
  bytes.writeUInt32BE(streamId, 0)
  bytes.writeUInt16BE((type << 10) | flags, 4)
  return bytes
}

/** Encodes one payload of a stream. @param parts - the payload, in order */
export function encodePayload(streamId: number, parts: readonly Buffer[]): Buffer {
  return Buffer.concat([header(streamId, TYPE.payload, NEXT, 0), ...parts])
}

/** Encodes the end of a stream. */
export function encodeComplete(streamId: number): Buffer {
  return header(streamId, TYPE.payload, FLAG.complete, 0)
}

/** Encodes a refusal of a stream, or of the connection (stream 0). */
export function encodeError(streamId: number, code: number, message: string): Buffer {
  const head = header(streamId, TYPE.error, 0, 4)
  head.writeUInt32BE(code, HEADER_BYTES)
  return Buffer.concat([head, Buffer.from(message)])
}

/** Encodes the reply to a keepalive. @param data - of the device's frame */
export function encodeKeepalive(data: Buffer): Buffer {
  return Buffer.concat([header(0, TYPE.keepalive, 0, 8), data])
}
