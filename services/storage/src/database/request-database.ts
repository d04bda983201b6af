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

/** What policies and triggers may ask of the request that they run for. */
export interface RequestFacts {
  readonly caller: Caller
  readonly operation: Operation
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, unknown>>
  /** Whose share of the connections is used; `undefined` for a backend that is trusted with all of it. */
  readonly person: string | undefined
}

/**
 * The database as one request may use it. What the caller may do, policies decide in statements that run as the caller; nothing here looks at rights. What
 * Supabase does "with bypass" runs as `service_role`.
 */
export interface RequestDatabase {
  readonly facts: RequestFacts
  /** Runs statements that change nothing in one round trip. Failures are returned, in the words of storage-js, with the rows before them. */
  read(steps: readonly Step[]): Promise<RoundTrip>
  /** The same with statements whose changes are undone: whether they would be allowed is all that is asked. */
  judge(steps: readonly Step[]): Promise<RoundTrip>
  /**
   * Runs statements in one round trip and commits what they changed.
   *
   * @returns the rows of each, or what Postgres refused: then nothing was kept
   * @throws when the connection broke or there was none; `onSend` was called if something may have been kept
   */
  write(steps: readonly Step[], onSend: () => void): Promise<RoundTrip>
  /** One transaction. Failures are rejected in the words of storage-js. */
  transaction<T>(body: (tx: RequestTransaction) => Promise<T>): Promise<T>
}

export interface RequestTransaction {
  /** The statements of `body` run as the caller, and what they change stays. */
  asCaller<T>(body: (tx: Transaction) => Promise<T>): Promise<T>
  /** The statements of `body` run as `service_role`, and what they change stays. */
  asService<T>(body: (tx: Transaction) => Promise<T>): Promise<T>
  /** The statements of `body` run as the caller, and are undone: whether they would be allowed is all that is asked. */
  judge<T>(body: (tx: Transaction) => Promise<T>): Promise<T>
}

const SERVICE_CLAIMS = { role: 'service_role' }

export function openRequestDatabase(share: PoolShare, facts: RequestFacts): RequestDatabase {
  const connections: Connections = share.for({ person: facts.person })
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
      // Role and settings go back, too.
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
      // Older names, which policies of older projects read. No text of Postgres has a NUL.
      'request.jwt': '',
      'request.jwt.claim.role': role.replaceAll('\0', ''),
      'request.jwt.claim.sub': typeof sub === 'string' ? sub.replaceAll('\0', '') : '',
    },
  }
}
