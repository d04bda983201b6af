/** The server sent invalid protocol data, or a truncated message. The connection is unusable. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'
  /** `protocol_violation`: counts as a lost connection, like all codes of class 08. */
  readonly code = '08P01'
  readonly severity = 'FATAL'

  constructor(what: string) {
    super(`Postgres sent what its protocol does not have: ${what}`)
  }
}

const FIELD_NAMES: Readonly<Record<string, string>> = {
  V: 'severity',
  C: 'code',
  D: 'detail',
  H: 'hint',
  W: 'where',
  s: 'schema',
  t: 'table',
  c: 'column',
  d: 'dataType',
  n: 'constraint',
  P: 'position',
  R: 'routine',
}

/** An `ErrorResponse` with the driver's error fields. Optional fields are present if Postgres sent them. */
export class ServerError extends Error {
  override readonly name = 'ServerError'
  /** Field `V`, which is not translated. */
  readonly severity: string = 'ERROR'
  readonly code: string = 'XX000'
  declare readonly detail?: string
  declare readonly hint?: string

  constructor(message: string, fields: Readonly<Record<string, string>>) {
    super(message)
    Object.assign(this, fields)
  }
}

/** Iterates over the fields of an `ErrorResponse` or `NoticeResponse`. */
export function* readFields(buffer: Buffer, start: number, end: number): Generator<readonly [string, string]> {
  for (let at = start; at < end && buffer[at] !== 0;) {
    const stop = buffer.indexOf(0, at + 1)
    if (stop < 0 || stop >= end) throw new ProtocolError('an error without an end')
    yield [String.fromCharCode(buffer[at] as number), buffer.toString('utf8', at + 1, stop)]
    at = stop + 1
  }
}

/** Decodes the body of an `ErrorResponse`. */
export function readServerError(buffer: Buffer, start: number, end: number): ServerError {
  const fields: Record<string, string> = {}
  let message = 'unknown error'
  for (const [letter, text] of readFields(buffer, start, end)) {
    const name = FIELD_NAMES[letter]
    if (letter === 'M') message = text
    else if (name !== undefined) fields[name] = text
  }
  return new ServerError(message, fields)
}
