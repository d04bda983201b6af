import { MESSAGE, readAffected, readColumns, readDataRow } from '../wire/messages.ts'
import { readServerError } from '../wire/server-error.ts'
import { NO_COLUMNS, type PipelineColumn, type PreparedStatements, type Statement } from './prepared-statements.ts'

/** Answer of a step that ran: rows by position, every value as the bytes of its text form. */
export interface StepAnswer {
  readonly columns: readonly PipelineColumn[]
  readonly rows: readonly (readonly (Buffer | null)[])[]
  /** Rows that the statement read or wrote; 0 where Postgres counts none. */
  readonly affected: number
}

export interface SegmentAnswer {
  /** Of the steps that ran before the first failure. */
  readonly steps: readonly StepAnswer[]
  /** What Postgres refused; the steps after it were skipped. */
  readonly error: Error | undefined
  /** `I` idle, `T` in a transaction, `E` in a transaction that failed. */
  readonly status: string
}

/** A step that was sent. */
export interface SentStep {
  readonly statement: Statement
  /** Under which the statement is kept once Postgres has parsed it. */
  readonly newKey: string | undefined
}

/** What was sent, and what of it is answered. */
export interface Exchange {
  readonly segments: readonly (readonly SentStep[])[]
  readonly answers: SegmentAnswer[]
  /** Of the segment that is being answered: the steps that have run, the rows of the next one, the failure. */
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

/** Takes one message of the server. */
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
    default: // notices, changed settings and the like
  }
}
