const HIDDEN = '[hidden]'

/** Parts of texts that are secrets whatever their context, and what replaces them. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, HIDDEN],
  // JSON Web Tokens begin with the base64 of `{"`.
  [/\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?/g, HIDDEN],
  [/\bsb_(?:secret|publishable)_[\w-]+/g, HIDDEN],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${HIDDEN}`],
  // Passwords in connection strings.
  [/(:\/\/[^\s:@/]+:)[^\s@/]+@/g, `$1${HIDDEN}@`],
  [/\b([\w-]*(?:password|passwd|secret|token|api_?key|authorization|cookie)[\w-]*=)[^\s,;&]+/gi, `$1${HIDDEN}`],
  [
    /\b([\w-]*(?:password|passwd|secret|token|api_?key|authorization|cookie)[\w-]*["']?\s*[:=]\s*)(?:"[^"]*"|'[^']*')/gi,
    `$1${HIDDEN}`,
  ],
]

const SECRET_NAME = /password|passwd|secret|token|api_?key|authorization|cookie/i

/** One check that most texts do not pass, because every request is redacted. */
const MAY_HAVE_SECRET = /PRIVATE KEY|eyJ|sb_|bearer|basic|:\/\/|passw|secret|token|api_?key|authorization|cookie/i

/** Hides tokens, keys and passwords in a text. */
export function redactText(text: string): string {
  if (!MAY_HAVE_SECRET.test(text)) return text
  return SECRETS.reduce((redacted, [pattern, replacement]) => redacted.replace(pattern, replacement), text)
}

/** Depth up to which values of fields are kept. */
const DEPTH_MAX = 4

/** Hides values of fields with the name of a secret, and secrets in the others. */
export function redactFields(fields: Readonly<Record<string, unknown>>, depth = 0): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, SECRET_NAME.test(name) ? HIDDEN : redactValue(value, depth)]),
  )
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value)
  if (value instanceof Error) return redactText(value.stack ?? value.message)
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth === DEPTH_MAX) return '…'
  if (Array.isArray(value)) return value.map((one) => redactValue(one, depth + 1))
  return redactFields(value as Readonly<Record<string, unknown>>, depth + 1)
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** Keys in links: long segments without a dot that mix letters and digits. */
const KEY_SEGMENT = /^(?=.*\d)(?=.*[a-z])[\w-]{22,}$/i

/** Hides keys in a path, and the query. */
export function redactPath(url: string): string {
  const [path = ''] = url.split('?', 1)
  const segments = path.split('/').map((one) => (KEY_SEGMENT.test(one) && !UUID.test(one) ? HIDDEN : one))
  return redactText(segments.join('/'))
}
