import { types } from 'pg'
import { MESSAGE, readAffected, readColumns, readDataRow } from '../wire/messages.ts'
import { readServerError } from '../wire/server-error.ts'
import { NO_COLUMNS, type PipelineColumn, type PreparedStatements, type Statement } from './prepared-statements.ts'

/** Result of an executed step: rows by position, values as text bytes. */
export interface StepAnswer {
  readonly columns: readonly PipelineColumn[]
  readonly rows: readonly (readonly (Buffer | null)[])[]
  /** Rows read or written; 0 if Postgres reports none. */
  readonly affected: number
}

export interface SegmentAnswer {
  /** Steps executed before the first error. */
  readonly steps: readonly StepAnswer[]
  /** Postgres's error; later steps were skipped. */
  readonly error: Error | undefined
  /** `I` idle, `T` in a transaction, `E` in a failed transaction. */
  readonly status: string
}

/** A sent step. */
export interface SentStep {
  readonly statement: Statement
  /** Key under which the statement is kept once parsed. */
  readonly newKey: string | undefined
}

/** Sent steps and the responses so far. */
export interface Exchange {
  readonly segments: readonly (readonly SentStep[])[]
  readonly answers: SegmentAnswer[]
  /** For the current segment: completed steps, the next one's rows, the error. */
  steps: StepAnswer[]
  rows: (readonly (Buffer | null)[])[]
  error: Error | undefined
}

export function createExchange(segments: Exchange['segments']): Exchange {
  return { segments, answers: [], steps: [], rows: [], error: undefined }
}

export function isAnswered({ answers, segments }: Exchange): boolean {
  return answers.length === segments.length
}

/** Handles one server message. */
export function receive(
  exchange: Exchange,
  prepared: PreparedStatements,
  type: number,
  buffer: Buffer,
  start: number,
  end: number,
): void {
  const sent = exchange.segments[exchange.answers.length]?.[exchange.steps.length]
  switch (type) {
    case MESSAGE.rowDescription:
      if (sent) sent.statement.columns = readColumns(buffer, start, end)
      break
    case MESSAGE.parseComplete:
      if (sent?.newKey !== undefined) prepared.keep(sent.newKey, sent.statement)
      break
    case MESSAGE.dataRow:
      exchange.rows.push(readDataRow(buffer, start, end))
      break
    case MESSAGE.commandComplete:
    case MESSAGE.emptyQuery:
      exchange.steps.push({
        columns: sent?.statement.columns ?? NO_COLUMNS,
        rows: exchange.rows,
        affected: readAffected(buffer, start, end),
      })
      exchange.rows = []
      break
    case MESSAGE.error:
      exchange.error ??= readServerError(buffer, start, end)
      break
    case MESSAGE.readyForQuery:
      exchange.answers.push({
        steps: exchange.steps,
        error: exchange.error,
        status: String.fromCharCode(buffer[start] ?? 0),
      })
      exchange.steps = []
      exchange.rows = []
      exchange.error = undefined
      break
    default: // notices, changed settings etc.
  }
}

/** Decodes the rows of a step as the driver would: objects keyed by column, with the driver's values. */
export function decodeRows<Row extends object>({ columns, rows }: StepAnswer): Row[] {
  const parsers = columns.map(({ typeOid }) => types.getTypeParser(typeOid, 'text') as (text: string) => unknown)
  return rows.map((values) => {
    const row: Record<string, unknown> = {}
    columns.forEach(({ name }, index) => {
      const value = values[index]
      row[name] = value ? parsers[index]?.(value.toString('utf8')) : null
    })
    return row as Row
  })
}
