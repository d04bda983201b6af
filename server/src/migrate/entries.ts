/** An entry of a dump: a definition and its owner. */
export interface DumpEntry {
  readonly name: string
  /** `TABLE`, `POLICY` etc. */
  readonly type: string
  readonly schema: string
  readonly text: string
  /** `ALTER … OWNER TO …`, which may fail separately. */
  readonly owner: string | undefined
}

/** Tokens before entries, and texts that may only resemble entries: strings, identifiers, function bodies. */
const TOKEN =
  /^--\n-- Name: (?<name>.*); Type: (?<type>.*); Schema: (?<schema>.*); Owner: .*\n--\n|--[^\n]*|\bE'(?:[^'\\]|\\[\s\S]|'')*'|'[^']*'|"[^"]*"|\$(?<tag>\w*)\$[\s\S]*?\$\k<tag>\$/gm
const OWNER = /\n\nALTER [^;]*? OWNER TO [^;]*;\s*$/
const COMPLETE = /^--\n-- PostgreSQL database dump complete[\s\S]*/m
/** Session settings that `pg_dump` writes before the first table, at the end of the preceding entry. */
const TABLE_DEFAULTS = /(?:\n+SET default_tablespace = '';|\n+SET default_table_access_method = "?heap"?;)+\s*$/

/** Splits a plain `pg_dump` into entries, at the comment before each. */
export function readEntries(dump: string): readonly DumpEntry[] {
  const heads = [...dump.matchAll(TOKEN)].filter(({ groups }) => groups?.['type'] !== undefined)
  return heads.map((head, index) => {
    const { name = '', type = '', schema = '' } = head.groups ?? {}
    const next = heads[index + 1]
    const whole = dump.slice(head.index + head[0].length, next?.index)
    const text = (next ? whole : whole.replace(COMPLETE, '')).trim().replace(TABLE_DEFAULTS, '')
    const owner = OWNER.exec(text)
    return {
      name,
      type,
      schema,
      text: (owner ? text.slice(0, owner.index) : text).trim(),
      owner: owner?.[0].trim(),
    }
  })
}
