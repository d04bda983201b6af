import { HoldfastError } from '@holdfast/foundation'

/*
 * Codes, messages and statuses are PostgREST's ("Errors" in its reference), because its clients read them.
 * `detail` of PGRST201 is a JSON text; every other detail is plain text.
 */

/** @param position - characters before the place where parsing stopped */
export function parseFailed(what: string, text: string, position: number, details: string): HoldfastError {
  return new HoldfastError('PGRST100', 400, `"failed to parse ${what} (${text})" (line 1, column ${position + 1})`, {
    detail: details,
  })
}

export function queryTooComplex(details: string): HoldfastError {
  return new HoldfastError('PGRST100', 400, 'The query string is too complex', { detail: details })
}

export function invalidRpcMethod(method: string): HoldfastError {
  return new HoldfastError('PGRST101', 405, `Cannot use the ${method} method on RPC`)
}

export function invalidBody(message: string, status = 400): HoldfastError {
  return new HoldfastError('PGRST102', status, message)
}

export function invalidRange(details: string, headers: Readonly<Record<string, string>> = {}): HoldfastError {
  return new HoldfastError('PGRST103', 416, 'Requested range not satisfiable', { detail: details, headers })
}

export function offsetOutOfBounds(offset: number, total: number): HoldfastError {
  const details = `An offset of ${offset} was requested, but there are only ${total} rows.`
  return invalidRange(details, { 'content-range': `*/${total}` })
}

export function invalidFilters(): HoldfastError {
  return new HoldfastError('PGRST105', 405, "Filters must include all and only primary key columns with 'eq' operators")
}

export function unacceptableSchema(schema: string, exposed: readonly string[]): HoldfastError {
  return new HoldfastError('PGRST106', 406, `Invalid schema: ${schema}`, {
    hint: `Only the following schemas are exposed: ${exposed.join(', ')}`,
  })
}

export function mediaTypeUnavailable(accepted: readonly string[]): HoldfastError {
  return new HoldfastError('PGRST107', 406, `None of these media types are available: ${accepted.join(', ')}`)
}

/** @param alias - of the embed that has the name, where names of embeds with an alias are not allowed */
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

/** @param alias - of the second one in the statement that PostgREST would send */
export function embeddedTwice(alias: string): HoldfastError {
  return new HoldfastError('42712', 400, `table name "${alias}" specified more than once`)
}

export function invalidResponseHeaders(): HoldfastError {
  return new HoldfastError(
    'PGRST111',
    500,
    'response.headers guc must be a JSON array composed of objects with a single key and a string value',
  )
}

export function invalidResponseStatus(): HoldfastError {
  return new HoldfastError('PGRST112', 500, 'response.status guc must be a valid status code')
}

export function putLimitNotAllowed(): HoldfastError {
  return new HoldfastError('PGRST114', 400, 'limit/offset querystring parameters are not allowed for PUT')
}

export function putKeyMismatch(): HoldfastError {
  return new HoldfastError('PGRST115', 400, 'Payload values do not match URL in primary key column(s)')
}

export function notSingular(rows: number): HoldfastError {
  return new HoldfastError('PGRST116', 406, 'Cannot coerce the result to a single JSON object', {
    detail: `The result contains ${rows} rows`,
  })
}

export function unsupportedMethod(method: string): HoldfastError {
  return new HoldfastError('PGRST117', 405, `Unsupported HTTP method: ${method}`)
}

export function relatedOrderNotToOne(origin: string, target: string): HoldfastError {
  return new HoldfastError('PGRST118', 400, `A related order on '${target}' is not possible`, {
    detail: `'${origin}' and '${target}' do not form a many-to-one or one-to-one relationship`,
  })
}

const DETAIL_HINT =
  "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'."

export function unreadableMessage(message: string): HoldfastError {
  return unreadableRaise(
    `Invalid JSON value for MESSAGE: '${message}'`,
    "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'.",
  )
}

export function unreadableDetail(detail: string): HoldfastError {
  return unreadableRaise(`Invalid JSON value for DETAIL: '${detail}'`, DETAIL_HINT)
}

export function raisedWithoutDetail(): HoldfastError {
  return unreadableRaise('DETAIL is missing in the RAISE statement', DETAIL_HINT)
}

function unreadableRaise(details: string, hint: string): HoldfastError {
  return new HoldfastError('PGRST121', 500, 'Could not parse JSON in the "RAISE SQLSTATE \'PGRST\'" error', {
    detail: details,
    hint,
  })
}

export function invalidPreferences(preferences: readonly string[]): HoldfastError {
  return new HoldfastError('PGRST122', 400, 'Invalid preferences given with handling=strict', {
    detail: `Invalid preferences: ${preferences.join(', ')}`,
  })
}

export function aggregatesNotAllowed(): HoldfastError {
  return new HoldfastError('PGRST123', 400, 'Use of aggregate functions is not allowed')
}

export function maxAffectedExceeded(rows: number): HoldfastError {
  return new HoldfastError('PGRST124', 400, 'Query result exceeds max-affected preference constraint', {
    detail: `The query affects ${rows} rows`,
  })
}

export function invalidPath(): HoldfastError {
  return new HoldfastError('PGRST125', 404, 'Invalid path specified in request URL')
}

export function rootDisabled(): HoldfastError {
  return new HoldfastError('PGRST126', 404, 'Root endpoint metadata is disabled')
}

export function notImplemented(details: string): HoldfastError {
  return new HoldfastError('PGRST127', 400, 'Feature not implemented', { detail: details })
}

export function maxAffectedOnSingleResult(): HoldfastError {
  return new HoldfastError(
    'PGRST128',
    400,
    'Function must return SETOF or TABLE when max-affected preference is used with handling=strict',
  )
}

/** Two or more foreign keys lead from `origin` to `target`, and the request does not say which one. */
export function ambiguousEmbed(input: {
  readonly origin: string
  readonly target: string
  readonly candidates: readonly {
    readonly embedding: string
    readonly cardinality: string
    readonly relationship: string
  }[]
  readonly alternatives: readonly string[]
}): HoldfastError {
  return new HoldfastError(
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
}

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

export function functionNotFound(message: string, details: string, hint: string | undefined): HoldfastError {
  return new HoldfastError('PGRST202', 404, message, { detail: details, hint })
}

export function ambiguousFunction(candidates: readonly string[]): HoldfastError {
  return new HoldfastError(
    'PGRST203',
    300,
    `Could not choose the best candidate function between: ${candidates.join(', ')}`,
    {
      hint: 'Try renaming the parameters or the function itself in the database so function overloading can be resolved',
    },
  )
}

export function columnNotFound(relation: string, column: string): HoldfastError {
  return new HoldfastError(
    'PGRST204',
    400,
    `Could not find the '${column}' column of '${relation}' in the schema cache`,
  )
}

export function tableNotFound(schema: string, name: string, nearest: string | undefined): HoldfastError {
  return new HoldfastError('PGRST205', 404, `Could not find the table '${schema}.${name}' in the schema cache`, {
    hint: nearest === undefined ? undefined : `Perhaps you meant the table '${schema}.${nearest}'`,
  })
}

/** The refusal that Supabase's databases give for a write that would touch a whole table. */
export function filterRequired(statement: 'UPDATE' | 'DELETE'): HoldfastError {
  return new HoldfastError('21000', 400, `${statement} requires a WHERE clause`)
}

/** Nothing answers where Postgres should be. */
export function connectionRefused(cause: unknown): HoldfastError {
  return new HoldfastError('PGRST000', 503, 'Database connection error. Retrying the connection.', {
    cause,
    headers: { 'retry-after': '1' },
  })
}

export function databaseUnavailable(cause: unknown): HoldfastError {
  return new HoldfastError('PGRST001', 503, 'Database client error. Retrying the connection.', {
    cause,
    headers: { 'retry-after': '1' },
  })
}

export function poolExhausted(cause: unknown): HoldfastError {
  return new HoldfastError('PGRST003', 504, 'Timed out acquiring connection from connection pool.', { cause })
}

/** Larger than `restResponseBytesMax`. The code is Postgres's for a limit of the program. */
export function answerTooLarge(): HoldfastError {
  return new HoldfastError('54000', 500, 'The answer is too large', {
    hint: 'Ask for fewer rows or columns. What was written is kept.',
  })
}

/** Never read: the client went away before its request was begun. */
export function abandoned(): HoldfastError {
  return new HoldfastError('PGRSTX01', 499, 'The client closed the connection')
}
