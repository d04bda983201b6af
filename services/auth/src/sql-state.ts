/** The parts of a Postgres error that decisions are made on; both `undefined` for any other error. */
export function sqlStateOf(error: unknown): {
  readonly code: string | undefined
  readonly constraint: string | undefined
} {
  if (!(error instanceof Error)) return { code: undefined, constraint: undefined }
  const { code, constraint, severity } = error as Error & { code?: unknown; constraint?: unknown; severity?: unknown }
  return {
    code: typeof code === 'string' && typeof severity === 'string' ? code : undefined,
    constraint: typeof constraint === 'string' ? constraint : undefined,
  }
}

/** Whether Postgres was not there to answer: gone, starting, stopping, full, or it did not answer in time. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as Error & { code?: unknown }
  if (typeof code === 'string') {
    return /^(08...|53...|57P0.|ECONN[A-Z]+|EPIPE|ENOENT|ETIMEDOUT)$/.test(code)
  }
  return /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/.test(
    error.message,
  )
}
