import { sql } from '@holdfast/postgres'
import { OWN_SCHEMAS, type Found, type Lint } from './lint.ts'

/** Bytes that an unread slot may keep before it is worth a warning. */
const KEPT_MANY = 1024 * 1024 * 1024

/** Share of `max_slot_wal_keep_size` above which the slot is in danger. */
const KEPT_SHARE = 0.5

/** Length in bytes that HS256 needs (RFC 7518, section 3.2). */
const SECRET_BYTES_MIN = 32

/** Lifetime in seconds of an access token above which a stolen one is useful for long. */
const TOKEN_LIFETIME_MAX_S = 24 * 3_600

interface SlotRow {
  readonly name: string
  readonly active: boolean
  readonly status: string
  readonly kept: number | null
  /** Bytes; `null` without a limit. */
  readonly limit: number | null
}

const MIB = 1024 * 1024

function describeSlot({ name, active, status, kept, limit }: SlotRow): Found | undefined {
  const mib = Math.round((kept ?? 0) / MIB).toLocaleString('en')
  if (status === 'lost')
    return {
      level: 'error',
      object: name,
      text: 'Postgres has given the replication slot up, because it kept too much write-ahead log.',
      action: 'The server creates it again and reads all tables again. Raise max_slot_wal_keep_size if that repeats.',
    }
  if (limit !== null && (kept ?? 0) > limit * KEPT_SHARE)
    return {
      level: 'error',
      object: name,
      text: `It keeps ${mib} MiB of write-ahead log, over half of the limit. Beyond the limit the slot is lost.`,
      action: 'Find out why the reader is behind with "holdfast sync status".',
    }
  if (!active && (kept ?? 0) > KEPT_MANY)
    return {
      object: name,
      text: `Nobody reads it, and it keeps ${mib} MiB of write-ahead log.`,
      action: 'Start the server that reads it, or drop it.',
      sql: `select pg_drop_replication_slot('${name.replaceAll("'", "''")}');`,
    }
  return undefined
}

/** Replication, tokens, and tables that do not sync. */
export const SERVER_LINTS: readonly Lint[] = [
  {
    name: 'unused_replication_slot',
    level: 'warning',
    category: 'server',
    async find(db) {
      const rows = await db.query<SlotRow>(sql`
        select slot_name as name, active, coalesce(wal_status, '') as status,
               pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_lsn(), restart_lsn)::float8 as kept,
               (select nullif(setting::float8, -1) * 1048576 from pg_catalog.pg_settings where name = 'max_slot_wal_keep_size') as limit
          from pg_catalog.pg_replication_slots where database = pg_catalog.current_database() order by 1`)
      return rows.flatMap((row) => describeSlot(row) ?? [])
    },
  },
  {
    name: 'replication_settings',
    level: 'error',
    category: 'server',
    async find(db) {
      const [row] = await db.query<{ walLevel: string; keep: string; slots: number; slotsMax: number }>(sql`
        select pg_catalog.current_setting('wal_level') as "walLevel", pg_catalog.current_setting('max_slot_wal_keep_size') as keep,
               (select count(*)::int from pg_catalog.pg_replication_slots) as slots,
               pg_catalog.current_setting('max_replication_slots')::int as "slotsMax"`)
      if (!row) return []
      const found: Found[] = []
      if (row.walLevel !== 'logical')
        found.push({
          object: 'wal_level',
          text: `It is ${row.walLevel}, so changes cannot be followed and nothing syncs.`,
          action: 'Set it to logical and restart Postgres.',
          sql: `alter system set wal_level = 'logical';`,
        })
      if (row.keep === '-1')
        found.push({
          level: 'warning',
          object: 'max_slot_wal_keep_size',
          text: 'It is unlimited: while Holdfast is stopped, write-ahead log can fill the disk.',
          action: 'Set a limit below the free disk space.',
          sql: `alter system set max_slot_wal_keep_size = '4GB'; select pg_reload_conf();`,
        })
      if (row.slots >= row.slotsMax)
        found.push({
          level: 'warning',
          object: 'max_replication_slots',
          text: `All ${row.slotsMax} are in use, so a lost slot cannot be replaced.`,
          action: 'Drop unused slots, or raise it and restart Postgres.',
          sql: `alter system set max_replication_slots = ${row.slotsMax + 5};`,
        })
      return found
    },
  },
  {
    name: 'table_does_not_sync',
    level: 'warning',
    category: 'sync',
    async find(_db, { refused = [] }) {
      const ofProject = refused.filter(({ table }) => !OWN_SCHEMAS.some((schema) => table.startsWith(`${schema}.`)))
      return ofProject.map(({ table, policy, reason }) => ({
        // Reachable through REST alone is a decision in these cases.
        ...(/^row-level security is off|SELECT privilege/.test(reason) ? { level: 'info' as const } : {}),
        object: policy === undefined ? table : `${table}, policy "${policy}"`,
        text: reason,
        action: 'See "A table that does not sync" in the guide "Operate sync".',
      }))
    },
  },
  {
    name: 'weak_jwt_secret',
    level: 'error',
    category: 'security',
    async find(_db, { jwt }) {
      if (!jwt) return []
      const found: Found[] = []
      if (jwt.isWellKnown)
        found.push({
          object: 'jwtSecret',
          text: 'It is the example secret of public documentation, so anybody can sign tokens for any user.',
          action: 'Remove it to get a random one, or set one of at least 32 random bytes. All sessions end.',
        })
      else if (jwt.secretBytes !== undefined && jwt.secretBytes < SECRET_BYTES_MIN)
        found.push({
          object: 'jwtSecret',
          text: `It has ${jwt.secretBytes} bytes. HS256 needs at least ${SECRET_BYTES_MIN}: a shorter one can be guessed from a token.`,
          action: 'Set one of at least 32 random bytes. All sessions end.',
        })
      if (jwt.lifetimeS > TOKEN_LIFETIME_MAX_S)
        found.push({
          level: 'warning',
          object: 'jwtExpiry',
          text: `Access tokens are valid for ${Math.round(jwt.lifetimeS / 3_600)} hours. Whoever verifies them without asking this server accepts a stolen one that long.`,
          action: 'Set jwtExpiry to 3600 seconds. Clients renew tokens by themselves.',
        })
      return found
    },
  },
]
