import { errorMessage } from '@holdfast/foundation'
import { quoteIdentifier, sql, SQLSTATE, sqlstateOf, type Transaction } from '@holdfast/postgres'
import { LOCKED_REASON, splitFunctionBody } from '../syntax/parse.ts'
import { type ProcedureTexts, textsOfProcedure } from '../syntax/plpgsql.ts'
import type { ResolvedBody } from '../catalog/policy-input.ts'
import { printBody } from './print-body.ts'
import { type Procedure, typeRecords } from './type-records.ts'

/**
 * Lets Postgres resolve the names in a PL/pgSQL function's queries as PL/pgSQL does at run time: operators depend on operand types. The queries become the
 * standard body of a temporary function of the same name, whose arguments are the function's arguments and variables.
 *
 * @returns by query text; the reason for one that Postgres cannot resolve. Omits queries that read a `record` variable not filled by queries with a single row
 * type
 * @throws SQLSTATE 55P03 while a referenced table is locked
 */
export async function resolveProcedure(
  tx: Transaction,
  procedure: Procedure,
  path: string,
): Promise<Readonly<Record<string, ResolvedBody>>> {
  const texts = textsOfProcedure(procedure.procedure)
  if (!texts || texts.queries.length === 0) return {}
  if (![...texts.types.values()].includes(undefined)) return resolveTexts(tx, procedure, texts, path)
  await tx.execute(sql`savepoint resolve_records`)
  try {
    const types = await typeRecords(tx, procedure, texts.types, path)
    return await resolveTexts(tx, procedure, { ...texts, types }, path)
  } finally {
    await tx.execute(sql`rollback to savepoint resolve_records`)
    await tx.execute(sql`release savepoint resolve_records`)
  }
}

async function resolveTexts(
  tx: Transaction,
  procedure: Procedure,
  texts: ProcedureTexts,
  path: string,
): Promise<Readonly<Record<string, ResolvedBody>>> {
  const whole = await printBodies(tx, procedure, texts, texts.queries, path)
  if (!('error' in whole) && whole.length === texts.queries.length)
    return Object.fromEntries(texts.queries.map((text, index) => [text, { text: whole[index] ?? '' }]))
  const isTyped = ![...texts.types.values()].includes(undefined)
  const resolved: Record<string, ResolvedBody> = {}
  for (const text of texts.queries) {
    const one = await printBodies(tx, procedure, texts, [text], path)
    if (!('error' in one)) {
      if (one.length === 1) resolved[text] = { text: one[0] ?? '' }
    } else if (isTyped) resolved[text] = { error: `Postgres cannot resolve its body: ${one.error}` }
  }
  return resolved
}

/** Placeholder for a function's queries while a referenced table is locked. */
export function lockedQueries(procedure: string): Readonly<Record<string, ResolvedBody>> {
  const queries = textsOfProcedure(procedure)?.queries ?? []
  return Object.fromEntries(queries.map((text) => [text, { error: LOCKED_REASON }]))
}

async function printBodies(
  tx: Transaction,
  procedure: Procedure,
  { types }: ProcedureTexts,
  queries: readonly string[],
  path: string,
): Promise<readonly string[] | { readonly error: string }> {
  const { name, argNames, argTypeNames } = procedure
  const args = argTypeNames.map((type, index) => `${quoteIfNamed(argNames[index] ?? '')}${type}`)
  for (const [variable, type] of types)
    if (type !== undefined && !argNames.includes(variable)) args.push(`${quoteIdentifier(variable)} ${type}`)
  const printing = { name, signature: `(${args.join(', ')}) returns void`, statements: queries.join('\n;\n') }
  let printed: string
  try {
    printed = (await printBody(tx, printing, path)) ?? ''
  } catch (error) {
    const state = sqlstateOf(error)
    if (state === undefined || state === SQLSTATE.lockNotAvailable) throw error
    return { error: errorMessage(error) }
  }
  try {
    return splitFunctionBody(printed)
  } catch (error) {
    // For functions with variables, Postgres prints unnamed arguments with empty names.
    const reason =
      argNames.length < argTypeNames.length || argNames.includes('') ? 'name its arguments' : errorMessage(error)
    return { error: `what Postgres prints of it cannot be read: ${reason}` }
  }
}

function quoteIfNamed(name: string): string {
  return name === '' ? '' : `${quoteIdentifier(name)} `
}
