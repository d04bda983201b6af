import { parseProcedure } from './parse.ts'

type Tree = Readonly<Record<string, unknown>>

/** A `record` variable, by number. */
interface RecordVariable {
  readonly name: string
  /** Texts of the queries that fill it. */
  readonly fills: string[]
  /** It may also be filled otherwise. */
  isUncertain: boolean
}

/**
 * Finds the queries that fill a PL/pgSQL function's `record` variables: `for r in select … loop`, `select … into r`.
 *
 * @param definition - from `pg_get_functiondef`
 * @returns the texts by variable name; excludes variables filled otherwise and duplicate names
 */
export function findRecordFills(definition: string): ReadonlyMap<string, readonly string[]> {
  const parsed = parseProcedure(definition)
  if ('error' in parsed) return new Map()
  const functions = (parsed.tree as { plpgsql_funcs?: readonly { PLpgSQL_function?: Tree }[] }).plpgsql_funcs ?? []
  const { datums = [], ...body } = functions[0]?.PLpgSQL_function ?? {}
  const names = new Map<string, number>()
  const records = new Map<number, RecordVariable>()
  for (const [number, datum] of (datums as readonly Tree[]).entries()) {
    const variable = (datum['PLpgSQL_rec'] ?? datum['PLpgSQL_var']) as
      | { readonly refname?: string; readonly datatype?: { readonly PLpgSQL_type?: { readonly typname?: string } } }
      | undefined
    if (variable?.refname === undefined) continue
    names.set(variable.refname, (names.get(variable.refname) ?? 0) + 1)
    if (variable.datatype?.PLpgSQL_type?.typname === 'record')
      records.set(number, { name: variable.refname, fills: [], isUncertain: false })
  }
  if (records.size > 0) walk(body, records)
  return new Map(
    [...records.values()]
      .filter(({ name, fills, isUncertain }) => names.get(name) === 1 && fills.length > 0 && !isUncertain)
      .map(({ name, fills }) => [name, fills]),
  )
}

/** Location of query and variable by kind of statement. */
const FILLING: Readonly<Record<string, { readonly query: string; readonly variable: string }>> = {
  PLpgSQL_stmt_fors: { query: 'query', variable: 'var' },
  PLpgSQL_stmt_execsql: { query: 'sqlstmt', variable: 'target' },
}

function walk(value: unknown, records: ReadonlyMap<number, RecordVariable>): void {
  if (Array.isArray(value)) {
    for (const item of value) walk(item, records)
    return
  }
  if (typeof value !== 'object' || value === null) return
  for (const [key, part] of Object.entries(value as Tree)) {
    const filling = FILLING[key]
    if (filling) {
      const { [filling.variable]: variable, ...rest } = part as Tree
      const record = (variable as { PLpgSQL_rec?: { dno?: number } } | undefined)?.PLpgSQL_rec
      const text = (rest[filling.query] as { PLpgSQL_expr?: { query?: string } } | undefined)?.PLpgSQL_expr?.query
      const filled = records.get(record?.dno ?? -1)
      if (filled && text !== undefined) filled.fills.push(text)
      else walk(variable, records)
      walk(rest, records)
      continue
    }
    if (key === 'PLpgSQL_rec') markUncertain((part as { dno?: number }).dno, records)
    if (key === 'varno' || key === 'target' || key === 'curvar') markUncertain(part, records)
    walk(part, records)
  }
}

function markUncertain(number: unknown, records: ReadonlyMap<number, RecordVariable>): void {
  const record = typeof number === 'number' ? records.get(number) : undefined
  if (record) record.isUncertain = true
}
