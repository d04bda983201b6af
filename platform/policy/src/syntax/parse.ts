import { assert, errorMessage } from '@holdfast/foundation'
import { loadModule, parsePlPgSQLSync, parseSync, type Node } from 'libpg-query'
import { refuse } from '../refusal.ts'

/** Postgres's own parser is WebAssembly and has to be loaded once before anything is parsed. */
export function preparePolicyParser(): Promise<void> {
  return loadModule()
}

/** Stands for what Postgres would print, as long as a transaction has locked what it names. */
export const LOCKED = '-- locked'

/** @throws {Refusal} when it stands for what cannot be read now */
function refuseLocked(text: string): void {
  if (text === LOCKED) refuse(LOCKED_REASON)
}

/** Why tables are refused whose policies cannot be read now. */
export const LOCKED_REASON = 'a transaction has locked a table that its policies name; it is tried again'

/** @param text - an expression as `pg_get_expr` prints it */
export function parsePolicyExpression(text: string): Node {
  refuseLocked(text)
  const [statement] = parseStatements(`select ${text}`)
  assert(statement && 'SelectStmt' in statement, 'an expression parses as the target of a select')
  const target = statement.SelectStmt.targetList?.[0]
  assert(target && 'ResTarget' in target && target.ResTarget.val, 'a select has a target')
  return target.ResTarget.val
}

/** @param text - a body as `pg_get_function_sqlbody` prints it: `RETURN …` or `BEGIN ATOMIC … END` */
export function parseFunctionBody(text: string): readonly Node[] {
  const returned = /^\s*RETURN\s+([\s\S]*)$/.exec(text)
  if (returned) return parseStatements(`select ${returned[1]}`)
  const atomic = /^\s*BEGIN ATOMIC\s([\s\S]*)\sEND\s*$/.exec(text)
  assert(atomic, 'a standard body is RETURN or BEGIN ATOMIC')
  return parseStatements(atomic[1] ?? '')
}

/** The statements of a body as `pg_get_function_sqlbody` prints it: `BEGIN ATOMIC … END`. */
export function splitFunctionBody(text: string): readonly string[] {
  const inner = Buffer.from(/^\s*BEGIN ATOMIC\s([\s\S]*)\sEND\s*$/.exec(text)?.[1] ?? '')
  // Places are in bytes.
  return (parseSync(inner.toString()).stmts ?? []).map(({ stmt_location: at = 0, stmt_len: length }) =>
    inner.subarray(at, length === undefined ? undefined : at + length).toString(),
  )
}

/** @param text - a view's query as `pg_get_viewdef` prints it */
export function parseViewDefinition(text: string): Node {
  refuseLocked(text)
  const [statement] = parseStatements(text)
  assert(statement, 'a view has a query')
  return statement
}

/** Words that Postgres turns into a moment when it reads them as a date or time. */
export const MOMENT = /['$]\s*(now|today|tomorrow|yesterday)\b/i

/** Parses what a person wrote, which may be wrong: with what a caller answers `undefined`. */
export function tryParse(text: string): readonly Node[] | undefined {
  return kept(`try ${text}`, () => {
    try {
      return readStatements(text)
    } catch {
      return undefined
    }
  })
}

/** The tree of a function in PL/pgSQL, or why its parser does not read it. */
export function parseProcedure(definition: string): { readonly tree: unknown } | { readonly error: string } {
  return kept(`procedure ${definition}`, () => {
    try {
      return { tree: parsePlPgSQLSync(definition) as unknown }
    } catch (error) {
      return { error: errorMessage(error) }
    }
  })
}

function parseStatements(text: string): readonly Node[] {
  return kept(`statements ${text}`, () => {
    try {
      return readStatements(text)
    } catch (error) {
      return refuse(`it is written in a syntax that is not known yet (${errorMessage(error)}): ${text.slice(0, 200)}`)
    }
  })
}

function readStatements(text: string): Node[] {
  return (parseSync(text).stmts ?? []).flatMap((statement) => (statement.stmt ? [statement.stmt] : []))
}

/** Trees that are kept, about 10 KB each: those of every policy and function of a large project. */
const KEPT_TREES_MAX = 2_000

/** Trees by kind and text, oldest first. Most are asked for again and again: for each table, and by each compilation. */
const keptTrees = new Map<string, unknown>()

function kept<T>(key: string, parse: () => T): T {
  const found = keptTrees.get(key)
  if (found !== undefined) return found as T
  const tree = freezeAll(parse())
  if (keptTrees.size >= KEPT_TREES_MAX) {
    const [oldest] = keptTrees.keys()
    if (oldest !== undefined) keptTrees.delete(oldest)
  }
  keptTrees.set(key, tree)
  return tree
}

/** A change of a tree would be one for all later compilations: it fails instead. */
function freezeAll<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const part of Object.values(value)) freezeAll(part)
  return Object.freeze(value)
}
