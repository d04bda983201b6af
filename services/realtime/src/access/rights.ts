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
import type { MessageRow } from '../database/message-row.ts'
import { databaseAway, unauthorizedTopic } from '../errors.ts'
import type { Identity } from './tokens.ts'

export type Extension = 'broadcast' | 'presence'

/** What a member of a private channel may receive. */
export interface ReadRights {
  readonly broadcast: boolean
  readonly presence: boolean
}

/** The caller requesting access to a private channel. */
export interface ChannelCaller extends Pick<Identity, 'role' | 'claims'> {
  /** Fairness key for connections. */
  readonly person: string | undefined
}

const SERVICE: Session = { role: 'service_role', claims: { role: 'service_role' } }

/**
 * Evaluates the policies on `realtime.messages` for a caller. Postgres judges an actual row of the topic as the caller, then rolls it back, so policies may
 * read any of its columns.
 */
export class Rights {
  readonly #share: PoolShare
  readonly #logger: Logger

  constructor(share: PoolShare, logger: Logger) {
    this.#share = share
    this.#logger = logger
  }

  /** @throws {HoldfastError} `Unauthorized` if a policy fails; `UnableToConnectToProject` */
  async read(caller: ChannelCaller, name: string, extensions: readonly Extension[]): Promise<ReadRights> {
    const shown = await this.#judge(caller, name, async (tx) => {
      await assumeSession(tx, SERVICE)
      const rows = await tx.query<{ id: string }>(sql`
        insert into realtime.messages (topic, extension)
        select ${name}, one from unnest(${[...extensions]}::text[]) one returning id`)
      await assumeSession(tx, sessionOf(caller, name))
      return await tx.query<{ extension: Extension }>(sql`
        select extension from realtime.messages where id = any(${rows.map(({ id }) => id)}::uuid[])`)
    })
    const has = (extension: Extension): boolean => shown.some((row) => row.extension === extension)
    return { broadcast: has('broadcast'), presence: has('presence') }
  }

  /**
   * Returns the newest messages of a private topic visible to the caller, oldest first. Messages of one transaction share a timestamp and are ordered by their
   * position in the table, usually the order of sending.
   *
   * @throws {HoldfastError} `Unauthorized` if a policy fails; `UnableToConnectToProject`
   */
  async replay(
    caller: ChannelCaller,
    name: string,
    { sinceMs, limit }: { readonly sinceMs: number; readonly limit: number },
  ): Promise<readonly MessageRow[]> {
    const rows = await this.#judge(caller, name, async (tx) => {
      await assumeSession(tx, sessionOf(caller, name))
      return await tx.query<MessageRow>(sql`
        select id::text, event, payload::text as payload, encode(binary_payload, 'hex') as binary
          from realtime.messages
         where inserted_at >= (timestamp 'epoch' + ${sinceMs}::float8 * interval '1 millisecond')
           and topic = ${name} and extension = 'broadcast' and private is true and event is not null
         order by inserted_at desc, ctid desc limit ${limit}::int`)
    })
    return rows.toReversed()
  }

  /** A failing policy denies access. @throws {HoldfastError} `UnableToConnectToProject` */
  async write(caller: ChannelCaller, name: string, extension: Extension): Promise<boolean> {
    try {
      await this.#judge(caller, name, async (tx) => {
        await assumeSession(tx, sessionOf(caller, name))
        await tx.execute(sql`insert into realtime.messages (topic, extension) values (${name}, ${extension})`)
      })
      return true
    } catch (error) {
      if (error instanceof HoldfastError && error.code === 'Unauthorized') return false
      throw error
    }
  }

  async #judge<T>(caller: ChannelCaller, name: string, body: (tx: Transaction) => Promise<T>): Promise<T> {
    try {
      return await this.#share.for({ userKey: caller.person }).transaction(async (tx) => {
        await tx.execute(sql`savepoint judged`)
        const answer = await body(tx)
        // The rollback also resets role and settings.
        await tx.execute(sql`rollback to savepoint judged`)
        return answer
      })
    } catch (error) {
      const state = sqlstateOf(error)
      if (isConnectionLoss(error) || (error instanceof Error && error.name === 'QueueTimeout'))
        throw databaseAway(error)
      if (state === undefined) throw error
      if (state !== SQLSTATE.insufficientPrivilege)
        this.#logger.log('warn', 'a policy on realtime.messages failed', {
          sqlstate: state,
          error: errorMessage(error),
        })
      throw unauthorizedTopic(name, error)
    }
  }
}

function sessionOf({ role, claims }: ChannelCaller, name: string): Session {
  const { sub } = claims
  return {
    role,
    claims,
    settings: {
      'realtime.topic': name,
      'request.headers': '{}',
      // Legacy names that older policies read. Postgres texts cannot contain NUL.
      'request.jwt.claim.role': role.replaceAll('\0', ''),
      'request.jwt.claim.sub': typeof sub === 'string' ? sub.replaceAll('\0', '') : '',
    },
  }
}
