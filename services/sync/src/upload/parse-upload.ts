import type { UploadOperation, UploadRequest } from '@holdfast/protocol'
import { malformedUpload } from './errors.ts'
import { OPERATION_COLUMNS_MAX, UPLOAD_OPERATIONS_MAX, UPLOAD_TRANSACTIONS_MAX } from './limits.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

type SqliteRow = Readonly<Record<string, string | number | null>>

/**
 * Parses an upload without a schema validator, whose coercion would turn `1` into `"1"` and `null` into `""`.
 *
 * @param body - decoded JSON
 * @throws {HoldfastError} `PSYNC_S2001` naming the first invalid part
 */
export function parseUpload(body: unknown): UploadRequest {
  const upload = asObject(body, 'The body')
  return { client_id: parseClientId(upload), ...parseTransaction(upload, '') }
}

/** Whether a body contains several transactions. */
export function isBatch(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'transactions' in body
}

/** Parses several uploads of one device. @throws {HoldfastError} as {@link parseUpload}; none is applied then */
export function parseUploadBatch(body: unknown): readonly UploadRequest[] {
  const batch = asObject(body, 'The body')
  const clientId = parseClientId(batch)
  const { transactions } = batch
  if (!Array.isArray(transactions) || transactions.length === 0)
    throw malformedUpload('transactions is not a list with entries.')
  if (transactions.length > UPLOAD_TRANSACTIONS_MAX) {
    throw malformedUpload(
      `A batch has at most ${UPLOAD_TRANSACTIONS_MAX} transactions, this one ${transactions.length}.`,
    )
  }
  const uploads = transactions.map((entry, index) => ({
    client_id: clientId,
    ...parseTransaction(asObject(entry, `transactions[${index}]`), `transactions[${index}].`),
  }))
  for (const [index, { position }] of uploads.entries()) {
    if (position <= (uploads[index - 1]?.position ?? 0)) throw malformedUpload('The positions do not ascend.')
  }
  return uploads
}

function parseClientId(upload: Readonly<Record<string, unknown>>): string {
  const clientId = upload['client_id']
  if (typeof clientId !== 'string' || !UUID.test(clientId)) throw malformedUpload('client_id is not a UUID.')
  return clientId.toLowerCase()
}

/** @param where - path of the transaction with a trailing dot, or empty */
function parseTransaction(
  upload: Readonly<Record<string, unknown>>,
  where: string,
): Pick<UploadRequest, 'position' | 'operations'> {
  const operations = upload['operations']
  if (!Array.isArray(operations) || operations.length === 0)
    throw malformedUpload(`${where}operations is not a list with entries.`)
  if (operations.length > UPLOAD_OPERATIONS_MAX) {
    throw malformedUpload(
      `A transaction has at most ${UPLOAD_OPERATIONS_MAX} operations, this one ${operations.length}.`,
    )
  }
  const parsed = operations.map((entry, index) => parseOperation(entry, `${where}operations[${index}]`))
  if (new Set(parsed.map((operation) => operation.op_id)).size < parsed.length) {
    throw malformedUpload('Two operations have the same op_id.')
  }
  return { position: asPosition(upload['position'], `${where}position`), operations: parsed }
}

function parseOperation(entry: unknown, where: string): UploadOperation {
  const operation = asObject(entry, where)
  const op = operation['op']
  if (op !== 'PUT' && op !== 'PATCH' && op !== 'DELETE')
    throw malformedUpload(`${where}.op is not PUT, PATCH or DELETE.`)
  return {
    op_id: asPosition(operation['op_id'], `${where}.op_id`),
    op,
    type: asText(operation['type'], `${where}.type`),
    id: asText(operation['id'], `${where}.id`),
    ...(isGiven(operation['data']) ? { data: asRow(operation['data'], `${where}.data`) } : {}),
    ...(isGiven(operation['old']) ? { old: asRow(operation['old'], `${where}.old`) } : {}),
    ...(isGiven(operation['metadata']) ? { metadata: asText(operation['metadata'], `${where}.metadata`) } : {}),
  }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

function asObject(value: unknown, where: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw malformedUpload(`${where} is not an object.`)
  return value as Readonly<Record<string, unknown>>
}

function asText(value: unknown, where: string): string {
  if (typeof value !== 'string') throw malformedUpload(`${where} is not a string.`)
  return value
}

function asPosition(value: unknown, where: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1) {
    throw malformedUpload(`${where} is not a positive integer.`)
  }
  return value
}

function asRow(value: unknown, where: string): SqliteRow {
  const row = asObject(value, where)
  const entries = Object.entries(row)
  if (entries.length > OPERATION_COLUMNS_MAX)
    throw malformedUpload(`${where} has more than ${OPERATION_COLUMNS_MAX} columns.`)
  for (const [column, given] of entries) {
    if (given === null || typeof given === 'string' || (typeof given === 'number' && Number.isFinite(given))) continue
    throw malformedUpload(`${where}.${column} is not a SQLite value (a string, a finite number or null).`)
  }
  return row as SqliteRow
}
