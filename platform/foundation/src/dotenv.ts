/** A name and its separator. Also accepts `KEY: value`. */
const HEAD = /^[ \t]*(?:export[ \t]+)?([^\s=:#'"`]+)[ \t]*(?:=|:(?=\s))[ \t]*/

/** A quoted value, possibly with line breaks. */
const QUOTED = /^(?:'([^']*)'|`([^`]*)`|"((?:[^"\\]|\\.)*)")/s

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', '"': '"', '\\': '\\', $: '$' }

/** An escape sequence or a variable reference. */
const REFERENCE = /\\[nr"\\$]|\$\{(\w+)\}|\$(\w+)/g

/**
 * Parses a dotenv file in the dialect of the Supabase CLI: `#` starts a comment at the start of a line or after a space, `\"` is a quote inside double quotes,
 * and outside single quotes `$NAME` or `${NAME}` expands to an earlier variable. Unknown references stay unchanged. Backquotes quote, as in Node.
 */
export function parseDotenv(text: string): Readonly<Record<string, string>> {
  const values = new Map<string, string>()
  // Otherwise a byte order mark would become part of the first name.
  let rest = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
  while (rest !== '') {
    const head = HEAD.exec(rest)
    const [, name] = head ?? []
    if (head && name !== undefined) {
      rest = rest.slice(head[0].length)
      const quoted = QUOTED.exec(rest)
      if (quoted) rest = rest.slice(quoted[0].length)
      values.set(name, quoted ? unquote(quoted, values) : readPlain(head[0], lineOf(rest), values))
    }
    rest = rest.slice(lineOf(rest).length + 1)
  }
  return Object.fromEntries(values)
}

function lineOf(text: string): string {
  const end = text.indexOf('\n')
  return end < 0 ? text : text.slice(0, end)
}

function unquote([, single, back, double]: RegExpExecArray, values: ReadonlyMap<string, string>): string {
  if (double === undefined) return single ?? back ?? ''
  return double.replaceAll(REFERENCE, (match: string, braced?: string, bare?: string) =>
    match.startsWith('\\') ? (ESCAPES[match.slice(1)] ?? match) : (values.get(braced ?? bare ?? '') ?? match),
  )
}

function readPlain(head: string, line: string, values: ReadonlyMap<string, string>): string {
  // The space that starts a comment may be the one before the value.
  const value = `${/\s$/.test(head) ? ' ' : ''}${line}`.replace(/\s#.*$/s, '').trim()
  return value.replaceAll(REFERENCE, (match: string, braced?: string, bare?: string) =>
    match.startsWith('\\') ? match : (values.get(braced ?? bare ?? '') ?? match),
  )
}
