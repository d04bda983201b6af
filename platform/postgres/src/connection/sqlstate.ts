/** SQLSTATE codes used by name. @see PostgreSQL manual, appendix A */
export const SQLSTATE = {
  invalidDatetimeFormat: '22007',
  datetimeFieldOverflow: '22008',
  notNullViolation: '23502',
  foreignKeyViolation: '23503',
  uniqueViolation: '23505',
  checkViolation: '23514',
  exclusionViolation: '23P01',
  invalidPassword: '28P01',
  invalidAuthorization: '28000',
  serializationFailure: '40001',
  deadlockDetected: '40P01',
  insufficientPrivilege: '42501',
  undefinedColumn: '42703',
  undefinedFunction: '42883',
  undefinedTable: '42P01',
  undefinedObject: '42704',
  duplicateObject: '42710',
  objectInUse: '55006',
  lockNotAvailable: '55P03',
  queryCanceled: '57014',
  adminShutdown: '57P01',
  crashShutdown: '57P02',
  cannotConnectNow: '57P03',
  diskFull: '53100',
  tooManyConnections: '53300',
  readOnlyTransaction: '25006',
  invalidTextRepresentation: '22P02',
} as const

/** Returns the SQLSTATE of a Postgres error, or `undefined` for others. */
export function sqlstateOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && 'severity' in (error as object) ? code : undefined
}

const LOST_SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
])

/** Sent before closing a connection, or instead of opening one. */
const LOST_SQLSTATES: ReadonlySet<string> = new Set([
  SQLSTATE.adminShutdown,
  SQLSTATE.crashShutdown,
  SQLSTATE.cannotConnectNow,
  SQLSTATE.tooManyConnections,
  '57P05', // idle_session_timeout
  '25P03', // idle_in_transaction_session_timeout
])

/** Driver errors without codes. */
const LOST_MESSAGES =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|timeout expired|Client was closed)/

/**
 * Whether a statement failed because the connection was unavailable or broke. A retry may succeed. The statement may have been committed if the connection
 * broke after `commit` was sent.
 */
export function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError) return error.errors.some(isConnectionLoss)
  const state = sqlstateOf(error)
  if (state !== undefined) return state.startsWith('08') || LOST_SQLSTATES.has(state)
  const { code } = error as NodeJS.ErrnoException
  return (code !== undefined && LOST_SYSTEM_CODES.has(code)) || LOST_MESSAGES.test(error.message)
}
