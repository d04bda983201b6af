import type { Node } from 'libpg-query'
import { Refusal, refuse } from '../refusal.ts'
import { type CollectedNames, collectNames } from './collect-names.ts'
import { MOMENT, parseProcedure, tryParse } from './parse.ts'

/** A variable or parameter, in the function's numbering. */
export interface ProcedureVariable {
  readonly name: string
  /** As written. */
  readonly typeName: string
  readonly isAssigned: boolean
  /** Its initial value. */
  readonly initial: ProcedureText | undefined
}

/** A query or expression of the body. */
export interface ProcedureText {
  /** As a `SELECT`. */
  readonly text: string
  readonly node: Node
}

export interface ProcedureQuery extends ProcedureText {
  /** Uses the first of several rows, without an error. */
  readonly takesFirst: boolean
}

/** Parts of a PL/pgSQL function that determine what it reads. */
export interface ProcedureBody {
  readonly variables: readonly ProcedureVariable[]
  readonly queries: readonly ProcedureQuery[]
}

type Tree = Readonly<Record<string, unknown>>

/** Statements with unknown reads or with side effects. */
const REFUSED: Readonly<Record<string, string>> = {
  PLpgSQL_stmt_dynexecute: 'it runs text that it makes itself (EXECUTE)',
  PLpgSQL_stmt_dynfors: 'it runs text that it makes itself (EXECUTE)',
  PLpgSQL_stmt_commit: 'it ends the transaction',
  PLpgSQL_stmt_rollback: 'it ends the transaction',
  PLpgSQL_stmt_call: 'it calls a procedure or runs a block (CALL, DO)',
}

/**
 * Analyzes a PL/pgSQL function.
 *
 * @param definition - from `pg_get_functiondef`
 * @throws {Refusal} if it runs dynamic SQL or has side effects
 */
export function readProcedure(definition: string): ProcedureBody {
  if (/#variable_conflict\s+use_variable/i.test(definition)) refuse('its variables hide columns of the same name')
  if (MOMENT.test(definition)) refuse('it reads the clock through a literal')
  const parsed = parseProcedure(definition)
  if ('error' in parsed) return refuse(`its body cannot be read: ${parsed.error}`)
  const found = find(parsed.tree)
  const queries: ProcedureQuery[] = []
  for (const { text, mode, takesFirst } of found.expressions) {
    const select = selectOf(text, mode)
    const node = parseOne(select)
    if (!node) return refuse(`its body cannot be read: ${text.trim().slice(0, 80)}`)
    if (!('SelectStmt' in node)) return refuse('it does more than read')
    queries.push({ text: select, node, takesFirst })
  }
  const variables = found.datums.map((datum, number): ProcedureVariable => {
    const [kind, value] = Object.entries(datum)[0] ?? ['', {}]
    const {
      refname,
      datatype,
      default_val: initial,
    } = value as {
      refname?: string
      datatype?: { PLpgSQL_type?: { typname?: string } }
      default_val?: { PLpgSQL_expr?: { query?: string; parseMode?: number } }
    }
    const { query, parseMode = 2 } = initial?.PLpgSQL_expr ?? {}
    const select = query === undefined ? undefined : selectOf(query, parseMode)
    const node = select === undefined ? undefined : parseOne(select)
    return {
      name: kind === 'PLpgSQL_var' || kind === 'PLpgSQL_rec' ? (refname ?? '') : '',
      typeName: datatype?.PLpgSQL_type?.typname ?? '',
      isAssigned: kind !== 'PLpgSQL_var' || found.assigned.has(number) || found.loops.has(refname ?? ''),
      initial: node && select !== undefined ? { text: select, node } : undefined,
    }
  })
  return { variables, queries }
}

/** What Postgres needs to resolve a body's queries. */
export interface ProcedureTexts {
  /** Types of variables and parameters as written; `undefined` if unsuitable for a parameter. */
  readonly types: ReadonlyMap<string, string | undefined>
  /** Without duplicates. */
  readonly queries: readonly string[]
}

/** Returns a body's queries as `SELECT`s, and the types of the variables; `undefined` if it cannot be compiled anyway. */
export function textsOfProcedure(definition: string): ProcedureTexts | undefined {
  let body: ProcedureBody
  try {
    body = readProcedure(definition)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
  const types = new Map<string, string | undefined>()
  for (const { name, typeName } of body.variables) {
    if (name === '' || name.startsWith('$')) continue
    const isTyped = typeName !== 'record' && !name.startsWith('__Case__Variable_')
    const type = isTyped ? typeName.replace(/%rowtype$/i, '') : undefined
    types.set(name, types.has(name) && types.get(name) !== type ? undefined : type)
  }
  const initials = body.variables.flatMap(({ initial }) => (initial ? [initial] : []))
  return { types, queries: [...new Set([...initials, ...body.queries].map(({ text }) => text))] }
}

/** Collects a body's function and operator names; a bare name counts for every possible schema. */
export function collectProcedureNames(definition: string, schemas: readonly string[], into: CollectedNames): void {
  const parsed = parseProcedure(definition)
  if ('error' in parsed) return
  const bare = { functions: new Set<string>(), operators: new Set<string>() }
  const found = find(parsed.tree, () => undefined)
  for (const { text, mode } of found.expressions) {
    const node = parseOne(selectOf(text, mode))
    if (node) collectNames(node, bare)
  }
  for (const kind of ['functions', 'operators'] as const) {
    for (const name of bare[kind]) {
      into[kind].add(name)
      const [schema, last] = JSON.parse(name) as [string, string]
      if (schema === 'pg_catalog') for (const other of schemas) into[kind].add(JSON.stringify([other, last]))
    }
  }
}

/** Analysis of any PL/pgSQL function, compilable or not. */
export interface ProcedureLook {
  /** Its queries and expressions as far as parsable. */
  readonly nodes: readonly Node[]
  /** Its reads are unknown: dynamic SQL, side effects, or unparsable parts. */
  readonly isOpaque: boolean
}

export function lookAtProcedure(definition: string): ProcedureLook {
  const parsed = parseProcedure(definition)
  if ('error' in parsed) return { nodes: [], isOpaque: true }
  let isOpaque = MOMENT.test(definition)
  const found = find(parsed.tree, () => (isOpaque = true))
  const nodes: Node[] = []
  for (const { text, mode } of found.expressions) {
    const node = parseOne(selectOf(text, mode))
    if (node) nodes.push(node)
    if (!node || !('SelectStmt' in node)) isOpaque = true
  }
  return { nodes, isOpaque }
}

interface Found {
  readonly datums: readonly Tree[]
  readonly expressions: { readonly text: string; readonly mode: number; readonly takesFirst: boolean }[]
  /** Numbers of assigned variables. */
  readonly assigned: Set<number>
  /** Names of loop variables. */
  readonly loops: Set<string>
}

function find(tree: unknown, onRefused: (reason: string) => void = refuse): Found {
  const functions = (tree as { plpgsql_funcs?: readonly { PLpgSQL_function?: Tree }[] }).plpgsql_funcs ?? []
  const body = functions[0]?.PLpgSQL_function ?? {}
  const found: Found = {
    datums: (body['datums'] as readonly Tree[] | undefined) ?? [],
    expressions: [],
    assigned: new Set(),
    loops: new Set(),
  }
  walk(body, false, found, onRefused)
  return found
}

function walk(value: unknown, takesFirst: boolean, found: Found, onRefused: (reason: string) => void): void {
  if (Array.isArray(value)) {
    for (const item of value) walk(item, takesFirst, found, onRefused)
    return
  }
  if (typeof value !== 'object' || value === null) return
  for (const [key, part] of Object.entries(value)) {
    const reason = REFUSED[key] ?? (key === 'dynquery' ? REFUSED['PLpgSQL_stmt_dynexecute'] : undefined)
    if (reason !== undefined) onRefused(reason)
    if ((key === 'varno' || key === 'target') && typeof part === 'number') found.assigned.add(part)
    if (key === 'PLpgSQL_stmt_fori' || key === 'PLpgSQL_stmt_fors') {
      const { var: loop } = part as { var?: Readonly<Record<string, { refname?: string }>> }
      found.loops.add(Object.values(loop ?? {})[0]?.refname ?? '')
    }
    if (key === 'PLpgSQL_expr') {
      const { query = '', parseMode = 0 } = part as { query?: string; parseMode?: number }
      found.expressions.push({ text: query, mode: parseMode, takesFirst })
      continue
    }
    const execsql = key === 'PLpgSQL_stmt_execsql' ? (part as { into?: boolean; strict?: boolean }) : undefined
    walk(part, execsql ? execsql.into === true && execsql.strict !== true : takesFirst, found, onRefused)
  }
}

/** @param mode - PL/pgSQL's parse mode: 0 a statement, 2 an expression, 3 and above an assignment */
function selectOf(text: string, mode: number): string {
  if (mode === 0) return text
  return `select ${mode === 2 ? text : text.replace(/^[^=]*?:?=/, '')}`
}

function parseOne(text: string): Node | undefined {
  const [node, second] = tryParse(text) ?? []
  return second ? undefined : node
}
