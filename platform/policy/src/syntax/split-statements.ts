import { parseSync, type Node } from 'libpg-query'
import { readEventTrigger, type EventTriggerStatement } from './event-trigger-statement.ts'
import { preparePolicyParser } from './parse.ts'

/** A statement of a multi-statement file. */
export interface SqlStatement {
  readonly text: string
  /** First line, counted from 1. */
  readonly line: number
  /** Start in the file, as a JavaScript string index. */
  readonly start: number
  /** How it is executed within a transaction started elsewhere. */
  readonly kind: 'plain' | 'begin or commit' | 'ends the transaction' | 'reads the input' | 'runs alone'
  /** Publication it creates for all tables, which requires superuser. */
  readonly publishesAllAs?: string
  readonly eventTrigger?: EventTriggerStatement
}

/**
 * Splits an SQL file with Postgres's parser.
 *
 * @throws the parser's error, with `cursorPosition`
 */
export async function splitStatements(file: string): Promise<readonly SqlStatement[]> {
  if (file.trim() === '') return [] // the parser rejects empty text
  await preparePolicyParser()
  const bytes = Buffer.from(file) // locations are in bytes
  const reached = { byte: 0, start: 0, line: 1 } // scans the file once: dumps have megabytes and thousands of statements
  return (parseSync(file).stmts ?? []).flatMap(({ stmt, stmt_location: at = 0, stmt_len: length }) => {
    if (!stmt) return []
    const text = bytes.subarray(at, length === undefined ? undefined : at + length).toString()
    const lead = text.slice(0, endOfLead(text))
    const passed = bytes.subarray(reached.byte, at).toString() + lead
    reached.byte = at + Buffer.byteLength(lead)
    reached.start += passed.length
    reached.line += passed.split('\n').length - 1
    const eventTrigger = readEventTrigger(stmt)
    const publication = 'CreatePublicationStmt' in stmt ? stmt.CreatePublicationStmt : undefined
    return [
      {
        text: text.slice(lead.length),
        line: reached.line,
        start: reached.start,
        kind: kindOf(stmt),
        ...(publication?.for_all_tables && publication.pubname !== undefined
          ? { publishesAllAs: publication.pubname }
          : {}),
        ...(eventTrigger ? { eventTrigger } : {}),
      },
    ]
  })
}

/** Returns the position after spaces and comments; block comments nest. */
function endOfLead(text: string): number {
  const part = /\s+|--[^\n]*|\/\*/y
  let at = 0
  for (let found = part.exec(text); found; found = part.exec(text)) {
    at = found[0] === '/*' ? endOfComment(text, part.lastIndex) : part.lastIndex
    part.lastIndex = at
  }
  return at
}

function endOfComment(text: string, from: number): number {
  const sign = /\/\*|\*\//g
  sign.lastIndex = from
  let depth = 1
  for (let found = sign.exec(text); found; found = sign.exec(text)) {
    depth += found[0] === '/*' ? 1 : -1
    if (depth === 0) return sign.lastIndex
  }
  return text.length
}

const BEGIN_OR_COMMIT: ReadonlySet<unknown> = new Set(['TRANS_STMT_BEGIN', 'TRANS_STMT_START', 'TRANS_STMT_COMMIT'])
const SAVEPOINTS: ReadonlySet<unknown> = new Set([
  'TRANS_STMT_SAVEPOINT',
  'TRANS_STMT_RELEASE',
  'TRANS_STMT_ROLLBACK_TO',
])

function kindOf(node: Node): SqlStatement['kind'] {
  if ('TransactionStmt' in node) {
    const { kind } = node.TransactionStmt
    if (BEGIN_OR_COMMIT.has(kind)) return 'begin or commit'
    return SAVEPOINTS.has(kind) ? 'plain' : 'ends the transaction'
  }
  if ('CopyStmt' in node && !node.CopyStmt.filename && !node.CopyStmt.is_program) return 'reads the input'
  return runsAlone(node) ? 'runs alone' : 'plain'
}

/** Whether Postgres refuses it in a transaction. Covers what occurs in migrations: concurrent DDL and maintenance. */
function runsAlone(node: Node): boolean {
  if ('IndexStmt' in node) return node.IndexStmt.concurrent === true
  if ('DropStmt' in node) return node.DropStmt.concurrent === true
  if ('VacuumStmt' in node) return node.VacuumStmt.is_vacuumcmd === true
  if ('AlterTableStmt' in node) return (node.AlterTableStmt.cmds ?? []).some(detachesConcurrently)
  if ('AlterSystemStmt' in node || 'CreatedbStmt' in node || 'DropdbStmt' in node) return true
  if ('ClusterStmt' in node) return node.ClusterStmt.relation === undefined
  if ('ReindexStmt' in node) {
    const { kind, params } = node.ReindexStmt
    const isOfMany = kind !== 'REINDEX_OBJECT_INDEX' && kind !== 'REINDEX_OBJECT_TABLE'
    return isOfMany || (params ?? []).some((one) => 'DefElem' in one && one.DefElem.defname === 'concurrently')
  }
  return false
}

function detachesConcurrently(node: Node): boolean {
  const def = 'AlterTableCmd' in node ? node.AlterTableCmd.def : undefined
  return def !== undefined && 'PartitionCmd' in def && def.PartitionCmd.concurrent === true
}
