import { HoldfastError, refusal } from '@holdfast/foundation'

/*
 * Codes, messages and statuses are PostgREST's ("Errors" in its reference), because its clients read them.
 * `detail` of PGRST201 is a JSON text; every other detail is plain text.
 */

/** @param position - characters before the failure */
export const parseFailed = (what: string, text: string, position: number, details: string): HoldfastError =>
  new HoldfastError('PGRST100', 400, `"failed to parse ${what} (${text})" (line 1, column ${position + 1})`, {
    detail: details,
  })
export const queryTooComplex = (details: string): HoldfastError =>
  new HoldfastError('PGRST100', 400, 'The query string is too complex', { detail: details })
export const invalidRpcMethod = (method: string): HoldfastError =>
  new HoldfastError('PGRST101', 405, `Cannot use the ${method} method on RPC`)
export const invalidBody = (message: string, status = 400): HoldfastError =>
  new HoldfastError('PGRST102', status, message)
export const invalidRange = (details: string, headers: Readonly<Record<string, string>> = {}): HoldfastError =>
  new HoldfastError('PGRST103', 416, 'Requested range not satisfiable', { detail: details, headers })

export function offsetOutOfBounds(offset: number, total: number): HoldfastError {
  const details = `An offset of ${offset} was requested, but there are only ${total} rows.`
  return invalidRange(details, { 'content-range': `*/${total}` })
}

export const invalidFilters = refusal(
  'PGRST105',
  405,
  "Filters must include all and only primary key columns with 'eq' operators",
)
export const unacceptableSchema = (schema: string, exposed: readonly string[]): HoldfastError =>
  new HoldfastError('PGRST106', 406, `Invalid schema: ${schema}`, {
    hint: `Only the following schemas are exposed: ${exposed.join(', ')}`,
  })
export const mediaTypeUnavailable = (accepted: readonly string[]): HoldfastError =>
  new HoldfastError('PGRST107', 406, `None of these media types are available: ${accepted.join(', ')}`)

/** @param alias - of the embed with that name, if embeds with an alias cannot be referenced by it */
export function notEmbedded(name: string, alias?: string): HoldfastError {
  const message = `'${name}' is not an embedded resource in this request`
  if (alias === undefined) {
    return new HoldfastError('PGRST108', 400, message, {
      hint: `Verify that '${name}' is included in the 'select' query parameter.`,
    })
  }
  return new HoldfastError('PGRST108', 400, message, {
    detail: 'Target names are not allowed in filters if they have an alias',
    hint: `Change '${name}' to '${alias}' in filters, orders or limits.`,
  })
}

/** @param alias - of the second one in PostgREST's statement */
export const embeddedTwice = (alias: string): HoldfastError =>
  new HoldfastError('42712', 400, `table name "${alias}" specified more than once`)
export const invalidResponseHeaders = refusal(
  'PGRST111',
  500,
  'response.headers guc must be a JSON array composed of objects with a single key and a string value',
)
export const invalidResponseStatus = refusal('PGRST112', 500, 'response.status guc must be a valid status code')
export const putLimitNotAllowed = refusal(
  'PGRST114',
  400,
  'limit/offset querystring parameters are not allowed for PUT',
)
export const putKeyMismatch = refusal('PGRST115', 400, 'Payload values do not match URL in primary key column(s)')
export const notSingular = (rows: number): HoldfastError =>
  new HoldfastError('PGRST116', 406, 'Cannot coerce the result to a single JSON object', {
    detail: `The result contains ${rows} rows`,
  })
export const unsupportedMethod = (method: string): HoldfastError =>
  new HoldfastError('PGRST117', 405, `Unsupported HTTP method: ${method}`)
export const relatedOrderNotToOne = (origin: string, target: string): HoldfastError =>
  new HoldfastError('PGRST118', 400, `A related order on '${target}' is not possible`, {
    detail: `'${origin}' and '${target}' do not form a many-to-one or one-to-one relationship`,
  })

const DETAIL_HINT =
  "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'."
export const unreadableMessage = (message: string): HoldfastError =>
  unreadableRaise(
    `Invalid JSON value for MESSAGE: '${message}'`,
    "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'.",
  )
export const unreadableDetail = (detail: string): HoldfastError =>
  unreadableRaise(`Invalid JSON value for DETAIL: '${detail}'`, DETAIL_HINT)
export const raisedWithoutDetail = (): HoldfastError =>
  unreadableRaise('DETAIL is missing in the RAISE statement', DETAIL_HINT)

const unreadableRaise = (details: string, hint: string): HoldfastError =>
  new HoldfastError('PGRST121', 500, 'Could not parse JSON in the "RAISE SQLSTATE \'PGRST\'" error', {
    detail: details,
    hint,
  })
export const invalidPreferences = (preferences: readonly string[]): HoldfastError =>
  new HoldfastError('PGRST122', 400, 'Invalid preferences given with handling=strict', {
    detail: `Invalid preferences: ${preferences.join(', ')}`,
  })
export const aggregatesNotAllowed = refusal('PGRST123', 400, 'Use of aggregate functions is not allowed')
export const maxAffectedExceeded = (rows: number): HoldfastError =>
  new HoldfastError('PGRST124', 400, 'Query result exceeds max-affected preference constraint', {
    detail: `The query affects ${rows} rows`,
  })
export const invalidPath = refusal('PGRST125', 404, 'Invalid path specified in request URL')
export const rootDisabled = refusal('PGRST126', 404, 'Root endpoint metadata is disabled')
export const notImplemented = (details: string): HoldfastError =>
  new HoldfastError('PGRST127', 400, 'Feature not implemented', { detail: details })
export const maxAffectedOnSingleResult = refusal(
  'PGRST128',
  400,
  'Function must return SETOF or TABLE when max-affected preference is used with handling=strict',
)

/** Several foreign keys lead from `origin` to `target`, and the request does not select one. */
export const ambiguousEmbed = (input: {
  readonly origin: string
  readonly target: string
  readonly candidates: readonly {
    readonly embedding: string
    readonly cardinality: string
    readonly relationship: string
  }[]
  readonly alternatives: readonly string[]
}): HoldfastError =>
  new HoldfastError(
    'PGRST201',
    300,
    `Could not embed because more than one relationship was found for '${input.origin}' and '${input.target}'`,
    {
      detail: JSON.stringify(
        input.candidates.map(({ cardinality, embedding, relationship }) => ({ cardinality, embedding, relationship })),
      ),
      hint: `Try changing '${input.target}' to one of the following: ${input.alternatives.map((name) => `'${name}'`).join(', ')}. Find the desired relationship in the 'details' key.`,
    },
  )

export function noRelationship(input: {
  readonly origin: string
  readonly target: string
  readonly hint: string | undefined
  readonly schema: string
  readonly suggestion: string | undefined
}): HoldfastError {
  const using = input.hint === undefined ? '' : `' using the hint '${input.hint}`
  return new HoldfastError(
    'PGRST200',
    400,
    `Could not find a relationship between '${input.origin}' and '${input.target}' in the schema cache`,
    {
      detail: `Searched for a foreign key relationship between '${input.origin}' and '${input.target}${using}' in the schema '${input.schema}', but no matches were found.`,
      hint: input.suggestion,
    },
  )
}

export const functionNotFound = (message: string, details: string, hint: string | undefined): HoldfastError =>
  new HoldfastError('PGRST202', 404, message, { detail: details, hint })
export const ambiguousFunction = (candidates: readonly string[]): HoldfastError =>
  new HoldfastError('PGRST203', 300, `Could not choose the best candidate function between: ${candidates.join(', ')}`, {
    hint: 'Try renaming the parameters or the function itself in the database so function overloading can be resolved',
  })
export const columnNotFound = (relation: string, column: string): HoldfastError =>
  new HoldfastError('PGRST204', 400, `Could not find the '${column}' column of '${relation}' in the schema cache`)
export const tableNotFound = (schema: string, name: string, nearest: string | undefined): HoldfastError =>
  new HoldfastError('PGRST205', 404, `Could not find the table '${schema}.${name}' in the schema cache`, {
    hint: nearest === undefined ? undefined : `Perhaps you meant the table '${schema}.${nearest}'`,
  })
/** The error of Supabase's databases for a write without a filter. */
export const filterRequired = (statement: 'UPDATE' | 'DELETE'): HoldfastError =>
  new HoldfastError('21000', 400, `${statement} requires a WHERE clause`)
/** Postgres does not accept connections. */
export const connectionRefused = (cause: unknown): HoldfastError =>
  new HoldfastError('PGRST000', 503, 'Database connection error. Retrying the connection.', {
    cause,
    headers: { 'retry-after': '1' },
  })
export const databaseUnavailable = (cause: unknown): HoldfastError =>
  new HoldfastError('PGRST001', 503, 'Database client error. Retrying the connection.', {
    cause,
    headers: { 'retry-after': '1' },
  })
export const poolExhausted = (cause: unknown): HoldfastError =>
  new HoldfastError('PGRST003', 504, 'Timed out acquiring connection from connection pool.', { cause })
/** The response exceeds `restResponseBytesMax`. The code is Postgres's for a program limit. */
export const answerTooLarge = refusal('54000', 500, 'The answer is too large', {
  hint: 'Ask for fewer rows or columns. What was written is kept.',
})
/** Never sent to a client: it disconnected before its request started. */
export const abandoned = refusal('PGRSTX01', 499, 'The client closed the connection')
