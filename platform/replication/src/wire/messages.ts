/** Types of the messages that matter here. @see PostgreSQL manual, "Message Formats" */
export const MESSAGE = {
  error: 0x45, // E
  copyOut: 0x48, // H
  copyBoth: 0x57, // W
  copyData: 0x64, // d
  copyDone: 0x63, // c
  readyForQuery: 0x5a, // Z
} as const

/** An `ErrorResponse`. `code` is the SQLSTATE. */
export class ServerError extends Error {
  override readonly name = 'ServerError'
  readonly code: string
  /** Not translated, as `ERROR`. */
  readonly severity: string
  readonly detail: string | undefined

  constructor(code: string, severity: string, message: string, detail: string | undefined) {
    super(message)
    this.code = code
    this.severity = severity
    this.detail = detail
  }
}

/** Reads the body of an `ErrorResponse`. */
export function readServerError(buffer: Buffer, start: number, end: number): ServerError {
  const fields = new Map<string, string>()
  let at = start
  while (at < end && buffer[at] !== 0) {
    const stop = buffer.indexOf(0, at + 1)
    fields.set(String.fromCharCode(buffer[at] as number), buffer.toString('utf8', at + 1, stop))
    at = stop + 1
  }
  return new ServerError(
    fields.get('C') ?? 'XX000',
    fields.get('V') ?? fields.get('S') ?? 'ERROR',
    fields.get('M') ?? 'unknown error',
    fields.get('D'),
  )
}

/** A simple query. */
export function queryMessage(text: string): Buffer {
  return frame('Q', Buffer.from(`${text}\0`))
}

export function terminateMessage(): Buffer {
  return frame('X', Buffer.alloc(0))
}

export function copyDataMessage(body: Buffer): Buffer {
  return frame('d', body)
}

function frame(type: string, body: Buffer): Buffer {
  const message = Buffer.allocUnsafe(5 + body.length)
  message.write(type, 0, 'latin1')
  message.writeUInt32BE(4 + body.length, 1)
  body.copy(message, 5)
  return message
}
