import { parseSync, type Node } from 'libpg-query'
import { readEventTrigger, type EventTriggerStatement } from './event-trigger-statement.ts'
import { preparePolicyParser } from './parse.ts'

/** A statement of a file with many. */
export interface SqlStatement {
  readonly text: string
  /** Where it begins, counted from 1. */
  readonly line: number
  /** Where the text begins in the file, in characters of JavaScript. */
  readonly start: number
  /** How it is executed in a transaction that another person has begun. */
  readonly kind: 'plain' | 'begin or commit' | 'ends the transaction' | 'reads the input' | 'runs alone'
  /** The publication that it makes of all tables, which only a superuser may. */
  readonly publishesAllAs?: string
  readonly eventTrigger?: EventTriggerStatement
}

/**
 * Takes a file of SQL apart, with Postgres's own parser.
 *
 * @throws what the parser says, with `cursorPosition`
 */
export async function splitStatements(file: string): Promise<readonly SqlStatement[]> {
  if (file.trim() === '') return [] // the parser takes no empty text
  await preparePolicyParser()
  const bytes = Buffer.from(file) // places are in bytes
  const reached = { byte: 0, start: 0, line: 1 } // each part of the file is read once: dumps have megabytes and thousands of statements
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

/** The place behind spaces and comments; those between slashes and stars nest. */
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

/** Whether Postgres refuses it in a transaction. Of what projects have in migrations: what works beside writers, and cleans up. */
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
