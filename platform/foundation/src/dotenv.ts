/** A name, and what stands between it and its value. `KEY: value` is known, too. */
const HEAD = /^[ \t]*(?:export[ \t]+)?([^\s=:#'"`]+)[ \t]*(?:=|:(?=\s))[ \t]*/

/** A value in quotes, which may have line breaks. */
const QUOTED = /^(?:'([^']*)'|`([^`]*)`|"((?:[^"\\]|\\.)*)")/s

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', '"': '"', '\\': '\\', $: '$' }

/** One that is escaped, or a name. */
const REFERENCE = /\\[nr"\\$]|\$\{(\w+)\}|\$(\w+)/g

/**
 * Reads a file as of dotenv, in the dialect of Supabase's command line: `#` begins a comment at the start of a line or behind a space, `\"` is a quote in double quotes,
 * and `$NAME` or `${NAME}` outside single quotes is a variable that stands before it. One that does not is left as it is written. Backquotes are quotes, as for Node.
 */
export function parseDotenv(text: string): Readonly<Record<string, string>> {
  const values = new Map<string, string>()
  // A byte order mark would belong to the first name.
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
  // The space that makes a comment of what follows may be the one before the value.
  const value = `${/\s$/.test(head) ? ' ' : ''}${line}`.replace(/\s#.*$/s, '').trim()
  return value.replaceAll(REFERENCE, (match: string, braced?: string, bare?: string) =>
    match.startsWith('\\') ? match : (values.get(braced ?? bare ?? '') ?? match),
  )
}
