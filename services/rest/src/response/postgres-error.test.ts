import { HoldfastError } from '@holdfast/foundation'
import { describe, expect, test } from 'vitest'
import { toHoldfastError } from './postgres-error.ts'

function serverError(code: string, message = 'terminating connection', detail?: string): Error {
  return Object.assign(new Error(message), { code, severity: 'ERROR', detail })
}

function refusalOf(error: unknown, isAnonymous = false): HoldfastError {
  const refusal = toHoldfastError(error, isAnonymous)
  if (!(refusal instanceof HoldfastError)) throw new Error('it is no refusal', { cause: refusal })
  return refusal
}

// Every row of the table in "Errors", "HTTP Status Codes" of PostgREST's reference.
describe('the status of a SQLSTATE', () => {
  test.each([
    ['08006', 503],
    ['09000', 500],
    ['0L000', 403],
    ['0P000', 403],
    ['22P02', 400],
    ['23502', 400],
    ['23503', 409],
    ['23505', 409],
    ['23514', 400],
    ['25001', 500],
    ['25006', 405],
    ['28000', 403],
    ['2D000', 500],
    ['38000', 500],
    ['39000', 500],
    ['3B000', 500],
    ['40001', 500],
    ['42703', 400],
    ['42883', 404],
    ['42P01', 404],
    ['42P17', 500],
    ['53100', 503],
    ['53400', 500],
    ['54001', 500],
    ['55P03', 500],
    ['57014', 500],
    ['57P01', 503],
    ['58000', 500],
    ['F0000', 500],
    ['HV000', 500],
    ['P0001', 400],
    ['P0002', 500],
    ['XX000', 500],
    ['99999', 400],
    ['PT402', 402],
    ['PT299', 299],
    ['PT100', 500],
    ['PT999', 500],
    ['PTABC', 500],
  ])('%s is %i', (code, status) => {
    expect(refusalOf(serverError(code))).toMatchObject({ code, status })
  })

  test.each([
    ['42883', 'function xmlagg(integer) does not exist', 406],
    ['21000', 'DELETE requires a WHERE clause', 400],
    ['21000', 'more than one row returned by a subquery used as an expression', 500],
    ['22023', 'role "nobody" does not exist', 401],
    ['22023', 'parameter "x" must be positive', 400],
  ])('%s %s is %i', (code, message, status) => {
    expect(refusalOf(serverError(code, message))).toMatchObject({ code, message, status })
  })

  test.each([
    [true, 401],
    [false, 403],
  ])('a missing privilege asks only an unknown caller to sign in (anonymous: %s)', (isAnonymous, status) => {
    expect(refusalOf(serverError('42501'), isAnonymous)).toMatchObject({ code: '42501', status })
  })

  test.each(['08006', '57P01', '57P02', '57P03', '53300', '53100'])(
    'what Postgres says while it stops, starts or is full (%s) asks the client to try again',
    (code) => {
      expect(refusalOf(serverError(code))).toMatchObject({ code, status: 503, headers: { 'retry-after': '1' } })
    },
  )

  test('a statement that ran out of time is no reason to try again at once', () => {
    expect(refusalOf(serverError('57014'))).not.toHaveProperty('headers.retry-after')
  })

  test('401 says how to sign in', () => {
    expect(refusalOf(serverError('42501'), true).headers).toEqual({ 'www-authenticate': 'Bearer' })
    expect(refusalOf(serverError('42501')).headers).toBeUndefined()
  })

  test('a raised status has the message for its words', () => {
    expect(refusalOf(serverError('PT402', 'Payment Required')).statusText).toBe('Payment Required')
  })
})

describe('without an answer of Postgres', () => {
  test.each([
    ['PGRST000', 503, 'Database connection error. Retrying the connection.', systemError('ECONNREFUSED', 'connect')],
    ['PGRST001', 503, 'Database client error. Retrying the connection.', systemError('ECONNRESET', 'read')],
    [
      'PGRST001',
      503,
      'Database client error. Retrying the connection.',
      new Error('Connection terminated unexpectedly'),
    ],
    [
      'PGRST003',
      504,
      'Timed out acquiring connection from connection pool.',
      new Error('timeout exceeded when trying to connect'),
    ],
  ])('%s %i %s', (code, status, message, error) => {
    expect(refusalOf(error)).toMatchObject({ code, status, message, cause: error })
  })

  test('a bug stays one', () => {
    const bug = new TypeError('x is not a function')
    expect(toHoldfastError(bug, false)).toBe(bug)
  })
})

function systemError(code: string, syscall: string): Error {
  return Object.assign(new Error(`${syscall} ${code}`), { code, syscall })
}

describe("raise sqlstate 'PGRST'", () => {
  const message = '{"code":"C1","message":"said","details":"why","hint":"how"}'
  const detail = '{"status":418,"status_text":"Teapot","headers":{"X-Pot":"yes"}}'

  test.each([
    ['no JSON', 'soup', detail, "Invalid JSON value for MESSAGE: 'soup'"],
    ['a list', '[]', detail, "Invalid JSON value for MESSAGE: '[]'"],
    ['no message', '{"code":"C1"}', detail, `Invalid JSON value for MESSAGE: '{"code":"C1"}'`],
    [
      'a hint that is no text',
      '{"code":"C1","message":"m","hint":1}',
      detail,
      `Invalid JSON value for MESSAGE: '{"code":"C1","message":"m","hint":1}'`,
    ],
  ])('refuses a message with %s', (_title, text, detailText, details) => {
    expect(refusalOf(serverError('PGRST', text, detailText))).toMatchObject({
      code: 'PGRST121',
      status: 500,
      message: `Could not parse JSON in the "RAISE SQLSTATE 'PGRST'" error`,
      detail: details,
      hint: "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'.",
    })
  })

  test.each([
    ['nothing', undefined, 'DETAIL is missing in the RAISE statement'],
    ['no JSON', 'soup', "Invalid JSON value for DETAIL: 'soup'"],
    ['no headers', '{"status":418}', `Invalid JSON value for DETAIL: '{"status":418}'`],
    ['no status', '{"headers":{}}', `Invalid JSON value for DETAIL: '{"headers":{}}'`],
    ['a text for a status', '{"status":"418","headers":{}}', undefined],
    ['a status that ends no request', '{"status":101,"headers":{}}', undefined],
    ['a header that is no text', '{"status":418,"headers":{"X":1}}', undefined],
    ['a header that splits the answer', String.raw`{"status":418,"headers":{"X":"a\r\nY: b"}}`, undefined],
  ])('refuses details with %s', (_title, text, details) => {
    expect(refusalOf(serverError('PGRST', message, text))).toMatchObject({
      code: 'PGRST121',
      status: 500,
      ...(details !== undefined && { detail: details }),
      hint: "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'.",
    })
  })

  test('controls code, message, details, hint, status, its words and headers', () => {
    expect(refusalOf(serverError('PGRST', message, detail))).toMatchObject({
      code: 'C1',
      message: 'said',
      detail: 'why',
      hint: 'how',
      status: 418,
      statusText: 'Teapot',
      headers: { 'x-pot': 'yes' },
    })
  })
})
