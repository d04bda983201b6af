/**
 * The mapping between names in Postgres and in the SQLite databases of devices. Names that work there stay unchanged. Others:
 * - `.` `[` `"` `\` and control characters, which JSON paths parse, become `$hex$`: `No.` is `No$2e$`
 * - a reserved name gets a `$`: `sqlite_export` is `sqlite$_export`, `_deleted` is `_deleted$`
 * - names that differ only in the case of ASCII letters, which SQLite folds, encode their capitals: `User` beside `user` is `User$u1$`
 * - of tables with one name in several schemas, all but the first are `schema$s$table`
 */

/** A table in Postgres. */
export interface QualifiedName {
  readonly schema: string
  readonly name: string
}

/** Folds the case of ASCII letters only, as SQLite does when comparing names. */
export function foldName(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

// eslint-disable-next-line no-control-regex
const PARSED = /[\u0000-\u001f".[\\]/
/** Matches names that could be mistaken for escaped ones. */
const LOOKS_ESCAPED = /\$(?:[0-9a-f]{2}|u[0-9a-f]+|s)\$/i
const SCHEMA_END = '$s$'
const CASE_END = /\$u([0-9a-f]+)\$$/

/** Names reserved by SQLite, PowerSync's core extension and the kit, also with inserted `$`s. */
const RESERVED_TABLES = [
  /^(sqlite|pragma|powersync)(\$*)(_.*)$/is,
  /^(ps)(\$*)(_(?:crud|kv|migration|tx|untyped|updated_rows|data_(?:local_)?_.*|(?:buckets|oplog|stream_subscriptions|sync_state)(?:_.*)?))$/is,
  /^(hf)(\$*)(_(?:local|search)(?:_.*)?)$/is,
  /^(jsonb?_(?:each|tree)|dbstat|bytecode|tables_used|generate_series|__proto__)(\$*)()$/i,
]
/** Reserved column names, also with inserted `$`s. SQLite renames `true` and `false` in views. */
const RESERVED_COLUMNS = [/^(_deleted|_metadata|true|false|__proto__)(\$*)()$/i]

/** Maps Postgres column names to local names. Injective even with folded case. */
export function localColumnNames(columns: readonly string[], key: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const isRecordId = key.length === 1 && key[0] === 'id'
  const hidden = columns.filter((name) => foldName(name) === 'id' && !(name === 'id' && isRecordId))
  const shown = columns.filter((name) => !hidden.includes(name))
  for (const group of Map.groupBy(shown, foldName).values()) {
    for (const name of group) {
      const plain = reserve(escapeName(name), RESERVED_COLUMNS)
      names.set(name, group.length > 1 && foldName(name) !== name ? withCase(plain) : plain)
    }
  }
  // The local name `id` is taken by the record's id.
  const taken = new Set([...names.values()].map(foldName))
  for (const name of hidden.toSorted()) {
    let local = 'id_'
    while (taken.has(local)) local += '_'
    taken.add(local)
    names.set(name, local)
  }
  return names
}

/** Maps Postgres tables to local names. Injective even with folded case. */
export function localTableNames<T extends QualifiedName>(tables: readonly T[]): ReadonlyMap<T, string> {
  const names = new Map<T, string>()
  for (const group of Map.groupBy(tables, (table) => foldName(joined(table))).values()) {
    const first =
      group.length === 1 ? group[0] : firstOf(group.filter((table) => joined(table) === foldName(joined(table))))
    for (const table of group) names.set(table, table === first ? plainTable(joined(table)) : distinctTable(table))
  }
  return names
}

/** Returns the tables that a local name may stand for. The first existing one applies. A device with a custom schema may also use the name in Postgres. */
export function tablesOfLocalName(local: string): readonly QualifiedName[] {
  if (local === '' || local.includes('\0')) return []
  const distinct = readDistinct(local)
  if (distinct) return [distinct]
  const read = unescapeName(unreserve(local, RESERVED_TABLES))
  const text = plainTable(read) === local ? read : local
  const found: QualifiedName[] = [{ schema: 'public', name: text }]
  if (text.startsWith('hf_')) found.unshift({ schema: 'holdfast', name: text.slice('hf_'.length) })
  for (let at = text.indexOf('__', 1); at > 0; at = text.indexOf('__', at + 1)) {
    found.push({ schema: text.slice(0, at), name: text.slice(at + 2) })
  }
  return found.filter(({ name }) => name.length > 0)
}

/** Returns whether SQLite and the SDK accept a table name unchanged. Older servers may describe others. */
export function isLocalTableName(name: string): boolean {
  return !isReserved(name, RESERVED_TABLES)
}

/** Like {@link isLocalTableName}, for columns. */
export function isLocalColumnName(name: string): boolean {
  return !PARSED.test(name) && !isReserved(name, RESERVED_COLUMNS)
}

/** Returns the local name if no other table conflicts. */
function joined({ schema, name }: QualifiedName): string {
  if (schema === 'public') return name
  return schema === 'holdfast' ? `hf_${name}` : `${schema}__${name}`
}

/** Returns the first of tables with the same lower-case name, in the order of {@link tablesOfLocalName}. */
function firstOf<T extends QualifiedName>(tables: readonly T[]): T | undefined {
  const rank = ({ schema }: T): number => ['holdfast', 'public'].indexOf(schema) + 1 || 2 + schema.length
  return tables.toSorted((one, other) => rank(one) - rank(other))[0]
}

function plainTable(text: string): string {
  return reserve(escapeName(text), RESERVED_TABLES)
}

function distinctTable({ schema, name }: QualifiedName): string {
  const own = schema === 'public' && foldName(name) !== name
  const text = own ? escapeAll(name) : `${escapeAll(schema)}${SCHEMA_END}${escapeAll(name)}`
  return withCase(reserve(text, RESERVED_TABLES))
}

/** Reverses {@link distinctTable}. */
function readDistinct(local: string): QualifiedName | undefined {
  const text = unreserve(local.replace(CASE_END, ''), RESERVED_TABLES)
  const at = text.indexOf(SCHEMA_END)
  const table =
    at < 0
      ? { schema: 'public', name: unescapeName(text) }
      : { schema: unescapeName(text.slice(0, at)), name: unescapeName(text.slice(at + SCHEMA_END.length)) }
  return distinctTable(table) === local ? table : undefined
}

/** Appends a bit mask of the capital letters: bit 0 is the first letter. */
function withCase(name: string): string {
  let capitals = 0n
  ;[...name.matchAll(/[A-Za-z]/g)].forEach(([letter], index) => {
    if (letter < 'a') capitals |= 1n << BigInt(index)
  })
  return capitals === 0n ? name : `${name}$u${capitals.toString(16)}$`
}

function escapeName(text: string): string {
  return PARSED.test(text) || LOOKS_ESCAPED.test(text) ? escapeAll(text) : text
}

function escapeAll(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u001f".[\\$]/g, (one) => `$${one.charCodeAt(0).toString(16).padStart(2, '0')}$`)
}

function unescapeName(text: string): string {
  return text.replace(/\$([0-7][0-9a-f])\$/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

type Reserved = readonly RegExp[]

function reserve(name: string, reserved: Reserved): string {
  return reserved.reduce((text, one) => text.replace(one, '$1$2$$$3'), name)
}

function unreserve(name: string, reserved: Reserved): string {
  return reserved.reduce(
    (text, one) => text.replace(one, (_, start: string, signs: string, end: string) => start + signs.slice(1) + end),
    name,
  )
}

function isReserved(name: string, reserved: Reserved): boolean {
  return reserved.some((one) => one.exec(name)?.[2] === '')
}

/** Quotes a name for SQL of the local database. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
