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

/** SQLSTATE for "on delete restrict" since Postgres 18. */
const RESTRICT_VIOLATION = '23001'

/** Returns the storage table whose foreign key rejected a statement; `undefined` for project tables and other errors. */
export function referrerOf(error: unknown): string | undefined {
  const { schema, table } = error as { readonly schema?: unknown; readonly table?: unknown }
  const isReference = [SQLSTATE.foreignKeyViolation, RESTRICT_VIOLATION].includes(sqlstateOf(error) ?? '')
  return isReference && schema === 'storage' && typeof table === 'string' ? table : undefined
}

/** Translates a Postgres error for storage-js. Returns other errors unchanged. */
export function toStorageError(error: unknown): unknown {
  if (error instanceof HoldfastError) return error
  if (error instanceof Error && error.name === 'QueueTimeout') return tooManyConnections(error)
  if (isConnectionLoss(error)) return databaseTimeout(error)
  switch (sqlstateOf(error)) {
    case undefined:
      return error
    case SQLSTATE.insufficientPrivilege:
    case '22023': // the token names a nonexistent role
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
    case '22021': // NUL in a text
    case '22P05': // NUL in a JSON text
      return invalidParameter('The request contains a value that Postgres cannot store', error)
    default:
      // Messages raised by the project's triggers and policies are written for its users.
      return new HoldfastError('DatabaseError', 500, errorMessage(error), { cause: error })
  }
}
