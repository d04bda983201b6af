import type { AttentionVerdict } from '../queue/attention-verdict.ts'

/** A verdict phrased for the user. */
export interface VerdictExplanation {
  /** Stable; see the error reference. */
  readonly code: `HF-SYNC-${string}`
  /** What happened, in one sentence. */
  readonly title: string
  /** What to do, in one sentence. */
  readonly advice: string
  /** The server's message, for the details view. */
  readonly detail: string | undefined
}

/** Display names of tables and columns. */
export interface VerdictNames {
  readonly column?: (table: string, column: string) => string
}

type ErrorVerdict = Extract<AttentionVerdict, { status: 'error' }>

/** Explains a verdict: what happened and what to do. */
export function explainVerdict(verdict: AttentionVerdict, names: VerdictNames = {}): VerdictExplanation {
  switch (verdict.status) {
    case 'no_row':
      return {
        code: 'HF-SYNC-NOROW',
        title: 'This record is gone or no longer yours to change',
        advice: 'Copy what you need from your change, then discard it.',
        detail: verdict.message,
      }
    case 'conflict':
      return {
        code: 'HF-SYNC-CONFLICT',
        title: 'Another person changed this record in the meantime',
        advice: 'Compare both versions, then keep yours or theirs.',
        detail: verdict.message,
      }
    case 'unexpected':
      return {
        code: 'HF-SYNC-UNKNOWN',
        title: 'The server could not take this change',
        advice: 'Try again later. If it stays, send the details to your operator.',
        detail: [verdict.httpStatus, verdict.code, verdict.message].filter((part) => part !== undefined).join(' · '),
      }
    case 'error':
      return { ...explainError(verdict, names), detail: detailOf(verdict) }
    default:
      return verdict satisfies never
  }
}

function detailOf(verdict: ErrorVerdict): string {
  return [`${verdict.sqlstate}: ${verdict.message}`, verdict.detail, verdict.hint].filter(Boolean).join('\n')
}

function explainError(verdict: ErrorVerdict, names: VerdictNames): Omit<VerdictExplanation, 'detail'> {
  const column =
    verdict.column === undefined ? undefined : (names.column?.(verdict.table ?? '', verdict.column) ?? verdict.column)
  switch (verdict.sqlstate) {
    case '42501':
      return explainRefusedByPolicy(verdict)
    case '23505':
      return {
        code: 'HF-SYNC-UNIQUE',
        title: `Another record already has ${keyOf(verdict) ?? 'the same value'}`,
        advice: 'Change the value and send it again.',
      }
    case '23001':
    case '23503':
      if (isStillLinked(verdict)) return explainStillLinked(verdict)
      return {
        code: 'HF-SYNC-FK',
        title: 'A linked record does not exist any more',
        advice: 'Choose another record, or clear the link, and send it again.',
      }
    case '23502':
      return {
        code: 'HF-SYNC-NOTNULL',
        title: `${column ?? 'A field'} needs a value`,
        advice: 'Fill it in and send it again.',
      }
    case '23514':
      return {
        code: 'HF-SYNC-CHECK',
        title: verdict.rule?.replace(/\.$/, '') ?? `This breaks a rule of the table: ${constraintInWords(verdict)}`,
        advice: changeAdvice((verdict.columns ?? []).map((name) => names.column?.(verdict.table ?? '', name) ?? name)),
      }
    case 'P0001':
      return {
        code: 'HF-SYNC-RULE',
        title: verdict.message,
        advice: isSentence(verdict.hint)
          ? verdict.hint
          : changeAdvice(column === undefined ? [] : [column], 'the record'),
      }
    case '42703':
    case '42P01':
      return {
        code: 'HF-SYNC-SCHEMA',
        title: 'The tables have changed since this was written',
        advice: 'Look at the record as it is now, then send your change again or discard it.',
      }
    default:
      return explainByClass(verdict, column)
  }
}

function explainByClass(verdict: ErrorVerdict, column: string | undefined): Omit<VerdictExplanation, 'detail'> {
  if (verdict.sqlstate.startsWith('22')) {
    return {
      code: 'HF-SYNC-TYPE',
      title: column ? `The value of ${column} is not valid` : 'A value is not valid',
      advice: 'Change the value and send it again.',
    }
  }
  return {
    code: 'HF-SYNC-UNKNOWN',
    title: 'The server did not accept this change',
    advice: 'Try again. If it stays, send the details to your operator.',
  }
}

/** Whether links to the record prevent the delete or key change. Postgres uses one SQLSTATE for both ends of a foreign key, except for RESTRICT. */
function isStillLinked({ sqlstate, message }: ErrorVerdict): boolean {
  return sqlstate === '23001' || message.startsWith('update or delete on table')
}

function explainStillLinked({ detail }: ErrorVerdict): Omit<VerdictExplanation, 'detail'> {
  const table = /is (?:still )?referenced from table "(.+)"/.exec(detail ?? '')?.[1]
  return {
    code: 'HF-SYNC-LINKED',
    title: `${table === undefined ? 'Other records' : `Records of ${table}`} still link to this one`,
    advice: 'Delete them or change their links first and send it again, or discard your change.',
  }
}

function explainRefusedByPolicy(verdict: ErrorVerdict): Omit<VerdictExplanation, 'detail'> {
  const names = verdict.policies ?? []
  const rules = names.length === 0 ? '' : ` (${names.length === 1 ? 'rule' : 'rules'} ${names.join(', ')})`
  return {
    code: 'HF-SYNC-REJ-RLS',
    title: `${(verdict.rule ?? 'You are not allowed to make this change').replace(/\.$/, '')}${rules}`,
    advice: 'Change the record so that the rule allows it, ask a person who may, or discard your change.',
  }
}

/** Converts `Key (code)=(A1) already exists.` to `code = A1`. */
function keyOf(verdict: ErrorVerdict): string | undefined {
  const key = /^Key \((.+?)\)=\((.*)\) already exists/.exec(verdict.detail ?? '')
  return key ? `${key[1]} = ${key[2]}` : undefined
}

function constraintInWords(verdict: ErrorVerdict): string {
  return verdict.constraint?.replaceAll('_', ' ') ?? verdict.message
}

/** Names the fields that the rule concerns. */
function changeAdvice(fields: readonly string[], otherwise = 'the value'): string {
  return `Change ${fields.length === 0 ? otherwise : fields.join(' or ')} and send it again.`
}

/** Whether a hint is readable advice rather than a code such as `action.transition`. */
function isSentence(hint: string | undefined): hint is string {
  return hint !== undefined && /\s/.test(hint.trim())
}
