import { errorMessage, HoldfastError, type Logger } from '@holdfast/foundation'
import {
  assumeSession,
  isConnectionLoss,
  sql,
  SQLSTATE,
  sqlstateOf,
  type PoolShare,
  type Session,
  type Transaction,
} from '@holdfast/postgres'
import { databaseAway, unauthorizedTopic } from '../errors.ts'
import type { Identity } from './tokens.ts'

export type Extension = 'broadcast' | 'presence'

/** What a member of a private channel gets. */
export interface ReadRights {
  readonly broadcast: boolean
  readonly presence: boolean
}

/** Who asks to use a private channel. */
export interface Asker extends Pick<Identity, 'role' | 'claims'> {
  /** Whose share of the connections is used. */
  readonly person: string | undefined
}

const SERVICE: Session = { role: 'service_role', claims: { role: 'service_role' } }

/**
 * What policies on `realtime.messages` let a caller do. Postgres judges a row of the topic as the caller, and the row is undone: a policy may read any of its
 * columns.
 */
export class Rights {
  readonly #share: PoolShare
  readonly #logger: Logger

  constructor(share: PoolShare, logger: Logger) {
    this.#share = share
    this.#logger = logger
  }

  /** @throws {HoldfastError} `Unauthorized` when a policy fails; `UnableToConnectToProject` */
  async read(asker: Asker, name: string, extensions: readonly Extension[]): Promise<ReadRights> {
    const shown = await this.#judge(asker, name, async (tx) => {
      await assumeSession(tx, SERVICE)
      const rows = await tx.query<{ id: string }>(sql`
        insert into realtime.messages (topic, extension)
        select ${name}, one from unnest(${[...extensions]}::text[]) one returning id`)
      await assumeSession(tx, sessionOf(asker, name))
      return await tx.query<{ extension: Extension }>(sql`
        select extension from realtime.messages where id = any(${rows.map(({ id }) => id)}::uuid[])`)
    })
    const has = (extension: Extension): boolean => shown.some((row) => row.extension === extension)
    return { broadcast: has('broadcast'), presence: has('presence') }
  }

  /** What fails is no right. @throws {HoldfastError} `UnableToConnectToProject` */
  async write(asker: Asker, name: string, extension: Extension): Promise<boolean> {
    try {
      await this.#judge(asker, name, async (tx) => {
        await assumeSession(tx, sessionOf(asker, name))
        await tx.execute(sql`insert into realtime.messages (topic, extension) values (${name}, ${extension})`)
      })
      return true
    } catch (error) {
      if (error instanceof HoldfastError && error.code === 'Unauthorized') return false
      throw error
    }
  }

  async #judge<T>(asker: Asker, name: string, body: (tx: Transaction) => Promise<T>): Promise<T> {
    try {
      return await this.#share.for({ person: asker.person }).transaction(async (tx) => {
        await tx.execute(sql`savepoint judged`)
        const answer = await body(tx)
        // Role and settings go back, too.
        await tx.execute(sql`rollback to savepoint judged`)
        return answer
      })
    } catch (error) {
      const state = sqlstateOf(error)
      if (isConnectionLoss(error) || (error instanceof Error && error.name === 'QueueTimeout'))
        throw databaseAway(error)
      if (state === undefined) throw error
      if (state !== SQLSTATE.insufficientPrivilege)
        this.#logger.log('warn', 'a policy of realtime.messages failed', {
          sqlstate: state,
          error: errorMessage(error),
        })
      throw unauthorizedTopic(name, error)
    }
  }
}

function sessionOf({ role, claims }: Asker, name: string): Session {
  const { sub } = claims
  return {
    role,
    claims,
    settings: {
      'realtime.topic': name,
      'request.headers': '{}',
      // Older names, which policies of older projects read. No text of Postgres has a NUL.
      'request.jwt.claim.role': role.replaceAll('\0', ''),
      'request.jwt.claim.sub': typeof sub === 'string' ? sub.replaceAll('\0', '') : '',
    },
  }
}
