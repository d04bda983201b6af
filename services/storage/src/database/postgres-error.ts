import { errorMessage, HoldfastError } from '@holdfast/foundation'
import { isConnectionLoss, SQLSTATE, sqlstateOf } from '@holdfast/postgres'
import {
  accessDenied,
  databaseTimeout,
  invalidParameter,
  keyAlreadyExists,
  lockTimeout,
  noSuchBucket,
  resourceReferenced,
  tooManyConnections,
} from '../errors.ts'

/** Since Postgres 18 that of a key with "on delete restrict". */
const RESTRICT_VIOLATION = '23001'

/** The table of storage whose foreign key has refused a statement; `undefined` when it is a table of the project, or another error. */
export function referrerOf(error: unknown): string | undefined {
  const { schema, table } = error as { readonly schema?: unknown; readonly table?: unknown }
  const isReference = [SQLSTATE.foreignKeyViolation, RESTRICT_VIOLATION].includes(sqlstateOf(error) ?? '')
  return isReference && schema === 'storage' && typeof table === 'string' ? table : undefined
}

/** Says a failure of Postgres in the words of storage-js. Anything else stays what it is. */
export function toStorageError(error: unknown): unknown {
  if (error instanceof HoldfastError) return error
  if (error instanceof Error && error.name === 'QueueTimeout') return tooManyConnections(error)
  if (isConnectionLoss(error)) return databaseTimeout(error)
  switch (sqlstateOf(error)) {
    case undefined:
      return error
    case SQLSTATE.insufficientPrivilege:
    case '22023': // a role of the token that there is not
      return accessDenied(undefined, error)
    case SQLSTATE.uniqueViolation:
      return keyAlreadyExists(error)
    case SQLSTATE.foreignKeyViolation:
    case RESTRICT_VIOLATION:
      return referrerOf(error) === undefined ? resourceReferenced(error) : noSuchBucket()
    case SQLSTATE.queryCanceled:
      return databaseTimeout(error)
    case SQLSTATE.lockNotAvailable:
    case SQLSTATE.deadlockDetected:
    case SQLSTATE.serializationFailure:
      return lockTimeout(error)
    case SQLSTATE.readOnlyTransaction:
      return new HoldfastError('DatabaseReadOnly', 503, 'The database is currently in read-only mode', { cause: error })
    case SQLSTATE.invalidTextRepresentation:
    case '22021': // a NUL in a text
    case '22P05': // a NUL in a text of JSON
      return invalidParameter('The request has a value that Postgres cannot take', error)
    default:
      // What triggers and policies of the project raise is meant for its people.
      return new HoldfastError('DatabaseError', 500, errorMessage(error), { cause: error })
  }
}
