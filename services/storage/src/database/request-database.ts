import type { Caller } from '@holdfast/http'
import {
  assumeSession,
  sql,
  type Connections,
  type PoolShare,
  type Session,
  type Transaction,
} from '@holdfast/postgres'
import type { Operation } from '../operations.ts'
import { toStorageError } from './postgres-error.ts'
import { runRoundTrip, type Ending, type RoundTrip, type Step } from './round-trip.ts'

/** Request properties that policies and triggers can read. */
export interface RequestFacts {
  readonly caller: Caller
  readonly operation: Operation
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, unknown>>
  /** Key for fair sharing of connections; `undefined` for trusted backends. */
  readonly userKey: string | undefined
}

/**
 * Database access for one request. Statements run as the caller, so policies decide; this code checks no rights. Operations that Supabase runs "with bypass"
 * run as `service_role`.
 */
export interface RequestDatabase {
  readonly facts: RequestFacts
  /** Runs read-only statements in one round trip. Returns errors, translated for storage-js, with the rows that precede them. */
  read(steps: readonly Step[]): Promise<RoundTrip>
  /** As `read`, for writes that are rolled back: it only tests whether they are allowed. */
  judge(steps: readonly Step[]): Promise<RoundTrip>
  /**
   * Runs and commits statements in one round trip.
   *
   * @returns the rows of each statement, or the Postgres error, in which case nothing was committed
   * @throws if the connection failed; if `onSend` was called, the changes may have been committed
   */
  write(steps: readonly Step[], onSend: () => void): Promise<RoundTrip>
  /** Runs one transaction. Rejects with errors translated for storage-js. */
  transaction<T>(body: (tx: RequestTransaction) => Promise<T>): Promise<T>
}

export interface RequestTransaction {
  /** Runs `body` as the caller and keeps its changes. */
  asCaller<T>(body: (tx: Transaction) => Promise<T>): Promise<T>
  /** Runs `body` as `service_role` and keeps its changes. */
  asService<T>(body: (tx: Transaction) => Promise<T>): Promise<T>
  /** Runs `body` as the caller and rolls back: it only tests whether the statements are allowed. */
  judge<T>(body: (tx: Transaction) => Promise<T>): Promise<T>
}

const SERVICE_CLAIMS = { role: 'service_role' }

export function openRequestDatabase(share: PoolShare, facts: RequestFacts): RequestDatabase {
  const connections: Connections = share.for({ userKey: facts.userKey })
  const settings = {
    'storage.operation': facts.operation,
    'request.method': facts.method,
    'request.path': facts.path,
    'request.headers': JSON.stringify(facts.headers),
  }
  const caller = sessionOf(facts.caller.role, facts.caller.claims, settings)
  const service = sessionOf('service_role', SERVICE_CLAIMS, settings)

  async function roundTrip(steps: readonly Step[], ending: Ending, onSend?: () => void): Promise<RoundTrip> {
    try {
      const { rows, error } = await runRoundTrip(connections, { caller, service }, steps, { ending, onSend })
      return { rows, error: error === undefined ? undefined : toStorageError(error) }
    } catch (error) {
      throw toStorageError(error)
    }
  }

  return {
    facts,
    read: (steps) => roundTrip(steps, 'read'),
    judge: (steps) => roundTrip(steps, 'judge'),
    write: (steps, onSend) => roundTrip(steps, 'write', onSend),
    async transaction(body) {
      try {
        return await connections.transaction((tx) => body(transactionOf(tx, caller, service)))
      } catch (error) {
        throw toStorageError(error)
      }
    },
  }
}

function transactionOf(tx: Transaction, caller: Session, service: Session): RequestTransaction {
  let current: Session | undefined

  async function as<T>(session: Session, body: (tx: Transaction) => Promise<T>): Promise<T> {
    if (current !== session) await assumeSession(tx, session)
    current = session
    return body(tx)
  }

  return {
    asCaller: (body) => as(caller, body),
    asService: (body) => as(service, body),
    async judge(body) {
      await tx.execute(sql`savepoint judged`)
      const result = await as(caller, body)
      // The rollback also resets role and settings.
      await tx.execute(sql`rollback to savepoint judged`)
      current = undefined
      return result
    },
  }
}

function sessionOf(
  role: string,
  claims: Readonly<Record<string, unknown>>,
  settings: Readonly<Record<string, string>>,
): Session {
  const { sub } = claims
  return {
    role,
    claims,
    settings: {
      ...settings,
      // Legacy names that older policies read. Postgres texts cannot contain NUL.
      'request.jwt': '',
      'request.jwt.claim.role': role.replaceAll('\0', ''),
      'request.jwt.claim.sub': typeof sub === 'string' ? sub.replaceAll('\0', '') : '',
    },
  }
}
