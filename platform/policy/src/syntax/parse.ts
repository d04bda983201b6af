import { assert, errorMessage } from '@holdfast/foundation'
import { loadModule, parsePlPgSQLSync, parseSync, type Node } from 'libpg-query'
import { refuse } from '../refusal.ts'

/** Loads Postgres's parser (WebAssembly), required before parsing. */
export function preparePolicyParser(): Promise<void> {
  return loadModule()
}

/** Placeholder for text that cannot be printed while a referenced object is locked. */
export const LOCKED = '-- locked'

/** @throws {Refusal} for the placeholder of unreadable text */
function refuseLocked(text: string): void {
  if (text === LOCKED) refuse(LOCKED_REASON)
}

/** Reason for refusing tables whose policies cannot be read now. */
export const LOCKED_REASON = 'a transaction has locked a table that its policies name; it is tried again'

/** @param text - an expression from `pg_get_expr` */
export function parsePolicyExpression(text: string): Node {
  refuseLocked(text)
  const [statement] = parseStatements(`select ${text}`)
  assert(statement && 'SelectStmt' in statement, 'an expression parses as the target of a select')
  const target = statement.SelectStmt.targetList?.[0]
  assert(target && 'ResTarget' in target && target.ResTarget.val, 'a select has a target')
  return target.ResTarget.val
}

/** @param text - a body from `pg_get_function_sqlbody`: `RETURN …` or `BEGIN ATOMIC … END` */
export function parseFunctionBody(text: string): readonly Node[] {
  const returned = /^\s*RETURN\s+([\s\S]*)$/.exec(text)
  if (returned) return parseStatements(`select ${returned[1]}`)
  const atomic = /^\s*BEGIN ATOMIC\s([\s\S]*)\sEND\s*$/.exec(text)
  assert(atomic, 'a standard body is RETURN or BEGIN ATOMIC')
  return parseStatements(atomic[1] ?? '')
}

/** Splits a body from `pg_get_function_sqlbody`: `BEGIN ATOMIC … END`. */
export function splitFunctionBody(text: string): readonly string[] {
  const inner = Buffer.from(/^\s*BEGIN ATOMIC\s([\s\S]*)\sEND\s*$/.exec(text)?.[1] ?? '')
  // Locations are in bytes.
  return (parseSync(inner.toString()).stmts ?? []).map(({ stmt_location: at = 0, stmt_len: length }) =>
    inner.subarray(at, length === undefined ? undefined : at + length).toString(),
  )
}

/** @param text - a view's query from `pg_get_viewdef` */
export function parseViewDefinition(text: string): Node {
  refuseLocked(text)
  const [statement] = parseStatements(text)
  assert(statement, 'a view has a query')
  return statement
}

/** Words that Postgres reads as the current time in date and time values. */
export const MOMENT = /['$]\s*(now|today|tomorrow|yesterday)\b/i

/** Parses user-written SQL; `undefined` if invalid. */
export function tryParse(text: string): readonly Node[] | undefined {
  return kept(`try ${text}`, () => {
    try {
      return readStatements(text)
    } catch {
      return undefined
    }
  })
}

/** Returns a PL/pgSQL function's tree, or its parser's error. */
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

/** Cached trees, about 10 KB each: enough for the policies and functions of a large project. */
const KEPT_TREES_MAX = 2_000

/** Trees by kind and text, oldest first. Most are requested repeatedly: per table and per compilation. */
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

/** Frozen, so that mutating a cached tree fails. */
function freezeAll<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const part of Object.values(value)) freezeAll(part)
  return Object.freeze(value)
}
