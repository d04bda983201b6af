/** A mail with its texts decoded. */
export interface ParsedMail {
  /** By lower-case name, unfolded. */
  readonly headers: ReadonlyMap<string, string>
  readonly text: string
  readonly html: string
}

interface Part {
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** Takes a mail of two alternatives apart (RFC 5322, RFC 2045). @param source - as it came over the wire */
export function parseMail(source: string): ParsedMail {
  const { headers, body } = splitHead(source)
  const boundary = /boundary="?([^";]+)/i.exec(headers.get('content-type') ?? '')?.[1] ?? ''
  const parts = body.split(`--${boundary}`).slice(1, -1).map(splitHead)
  const textOf = (type: string): string => {
    const part = parts.find((one) => one.headers.get('content-type')?.startsWith(type))
    return part === undefined ? '' : decode(part)
  }
  return { headers, text: textOf('text/plain'), html: textOf('text/html') }
}

function splitHead(source: string): Part {
  const whole = source.replace(/^\r\n/, '')
  const end = whole.indexOf('\r\n\r\n')
  const lines = whole
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers = new Map(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  return { headers, body: whole.slice(end + 4) }
}

function decode({ headers, body }: Part): string {
  switch (headers.get('content-transfer-encoding')) {
    case 'quoted-printable': {
      const bytes = body
        .replaceAll(/=\r\n/g, '')
        .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
      return Buffer.from(bytes, 'latin1').toString('utf8')
    }
    case 'base64':
      return Buffer.from(body, 'base64').toString('utf8')
    default:
      return body
  }
}
