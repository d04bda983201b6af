/** One entry of a dump: a definition, and who is to own it. */
export interface DumpEntry {
  readonly name: string
  /** `TABLE`, `POLICY` and so on. */
  readonly type: string
  readonly schema: string
  readonly text: string
  /** `ALTER … OWNER TO …`, which may fail by itself. */
  readonly owner: string | undefined
}

const HEAD = /^--\n-- Name: (.*); Type: (.*); Schema: (.*); Owner: .*\n--\n/gm
const OWNER = /\n\nALTER [^;]*? OWNER TO [^;]*;\s*$/

/** Cuts the plain form of `pg_dump` into its entries, at the comments before each. What a body of a function says that looks like one is cut as well, and fails. */
export function readEntries(dump: string): readonly DumpEntry[] {
  const heads = [...dump.matchAll(HEAD)]
  return heads.map((head, index) => {
    const [whole, name = '', type = '', schema = ''] = head
    const text = dump.slice(head.index + whole.length, heads[index + 1]?.index).trim()
    const found = OWNER.exec(text)
    return {
      name,
      type,
      schema,
      text: found ? text.slice(0, found.index).trim() : text.replace(/^--.*PostgreSQL database dump complete.*$/m, ''),
      owner: found?.[0].trim(),
    }
  })
}
