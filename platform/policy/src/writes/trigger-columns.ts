import { parseProcedure } from '../syntax/parse.ts'
import type { RowTrigger } from './read-write-input.ts'

type Tree = Readonly<Record<string, unknown>>

/** Columns of a new row that a trigger may change. */
export interface TriggerColumns {
  readonly set: ReadonlySet<string> | '*'
  /** Changed only if NULL. */
  readonly filled: ReadonlySet<string>
}

/** Returns the columns that a trigger may change. */
export function columnsOfTrigger({
  definition,
  assigned,
}: Pick<RowTrigger, 'definition' | 'assigned'>): TriggerColumns {
  return assigned === null ? findTriggerColumns(definition) : { set: new Set(assigned), filled: new Set() }
}

/**
 * Finds assignments to `new` in a PL/pgSQL trigger function. Anything but a plain field assignment counts as assigning every column.
 *
 * @param definition - from `pg_get_functiondef`; `null` for other languages
 */
export function findTriggerColumns(definition: string | null): TriggerColumns {
  const filled = new Set<string>()
  if (definition === null || /\balias\s+for\s+new\b/i.test(definition)) return { set: '*', filled }
  const parsed = parseProcedure(definition)
  if ('error' in parsed) return { set: '*', filled }
  const functions = (parsed.tree as { plpgsql_funcs?: readonly { PLpgSQL_function?: Tree }[] }).plpgsql_funcs ?? []
  const found = { set: new Set<string>(), filled, isAny: functions.length !== 1 }
  walk(functions[0]?.PLpgSQL_function?.['action'], found)
  for (const column of found.set) filled.delete(column)
  return { set: found.isAny ? '*' : found.set, filled }
}

interface Found {
  readonly set: Set<string>
  readonly filled: Set<string>
  isAny: boolean
}

/** Statements that set variables other than by `:=` and `into`, or whose targets are not analyzed. */
const OPAQUE = new Set(['PLpgSQL_stmt_getdiag', 'PLpgSQL_stmt_call', 'PLpgSQL_stmt_foreach_a', 'PLpgSQL_recfield'])

function walk(value: unknown, found: Found): void {
  if (Array.isArray(value)) {
    for (const item of value) walk(item, found)
    return
  }
  if (typeof value !== 'object' || value === null) return
  for (const [key, part] of Object.entries(value as Tree)) {
    if (OPAQUE.has(key)) found.isAny = true
    if (key === 'PLpgSQL_stmt_assign') noteAssignment(textOf(part, 'expr'), found)
    if (key === 'PLpgSQL_stmt_return') noteReturn(part as Tree, found)
    if (key === 'PLpgSQL_row') for (const { name = '' } of fieldsOf(part)) noteTarget(name, found)
    if (key === 'PLpgSQL_rec' && /^new$/i.test((part as { refname?: string }).refname ?? '')) found.isAny = true
    walk(part, found)
  }
}

function textOf(statement: unknown, key: string): string | undefined {
  const { [key]: expr } = statement as Tree
  return (expr as { PLpgSQL_expr?: { query?: string } } | undefined)?.PLpgSQL_expr?.query
}

function fieldsOf(row: unknown): readonly { readonly name?: string }[] {
  return (row as { fields?: readonly { readonly name?: string }[] }).fields ?? []
}

const FIELD = /^\s*new\s*\.\s*(?:"((?:[^"]|"")+)"|([\p{L}_][\p{L}\p{N}_$]*))\s*(?::=|=)\s*([\s\S]*)$/iu

function noteAssignment(text: string | undefined, found: Found): void {
  if (text === undefined || !/^\s*"?new"?\b/i.test(text)) {
    if (text === undefined) found.isAny = true
    return
  }
  const [, quoted, plain, value = ''] = FIELD.exec(text) ?? []
  const column = quoted?.replaceAll('""', '"') ?? plain?.toLowerCase()
  if (column === undefined) {
    found.isAny = true
    return
  }
  const kept = /^coalesce\s*\(\s*new\s*\.\s*([\p{L}_][\p{L}\p{N}_$]*)\s*,/iu.exec(value)?.[1]?.toLowerCase()
  // The whole value must be this call.
  if (kept === column && isOneCall(value)) found.filled.add(column)
  else found.set.add(column)
}

/** Whether the first parenthesis closes at the last character; texts containing parentheses count as not. */
function isOneCall(text: string): boolean {
  let depth = 0
  const trimmed = text.trim()
  if (/['"$]/.test(trimmed)) return false
  for (const [index, character] of [...trimmed].entries()) {
    if (character === '(') depth++
    if (character === ')' && --depth === 0) return index === trimmed.length - 1
  }
  return false
}

function noteTarget(name: string, found: Found): void {
  const [, column] = /^new\.(.+)$/i.exec(name) ?? []
  if (column !== undefined) found.set.add(column)
  else if (/^new$/i.test(name)) found.isAny = true
}

/** `return old` and `return another_row` replace the row. Ending without a return is an error. */
function noteReturn(statement: Tree, found: Found): void {
  const text = textOf(statement, 'expr')
  if (statement['retvarno'] === 0 || (text === undefined && statement['retvarno'] === undefined)) return
  if (text === undefined) {
    found.isAny = true
    return
  }
  if (!/^\s*(new|null)\s*$/i.test(text)) found.isAny = true
}
