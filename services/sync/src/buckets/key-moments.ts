import { errorMessage, type Logger } from '@holdfast/foundation'
import { quoteIdentifier, quoteName, sql, type Pool, type SqlFragment } from '@holdfast/postgres'
import { KEY_MOMENTS_RETRY_MS, KEYS_PART_TIMEOUT_MS } from '../limits.ts'
import type { PlannedDependency } from './active-plan.ts'
import type { EvaluatedKeys } from './evaluated-keys.ts'

/** Computes how long keys are valid if policies compare the clock with columns of the tables that the keys depend on. */
export interface KeyMoments {
  /**
   * Reads rows as they are after the evaluation: rows changed since then trigger a new evaluation anyway.
   *
   * @returns milliseconds; `undefined` if the clock does not affect the keys
   */
  hold(keys: EvaluatedKeys): Promise<number | undefined>
}

/** @param readerPool - connects as `holdfast_reader`, because rows that a user may not see can still decide what they see. Only the moment is returned */
export function createKeyMoments({
  readerPool,
  logger,
}: {
  readonly readerPool: Pool
  readonly logger: Logger
}): KeyMoments {
  async function ask(clocked: readonly PlannedDependency[], { pins, now }: EvaluatedKeys): Promise<number | undefined> {
    return readerPool.transaction(async (tx) => {
      await tx.execute(sql`
        select set_config('statement_timeout', ${String(KEYS_PART_TIMEOUT_MS)}, true), set_config('TimeZone', ${now.timeZone}, true)`)
      const [row] = await tx.query<{ ms: number | null }>(sql`
        select (extract(epoch from min(m.at) - clock_timestamp()) * 1000)::float8 as ms
          from (${sql.join(
            clocked.map((one) => momentsOf(one, pins.get(one.key), now.at)),
            ' union all ',
          )}) m`)
      return row?.ms ?? undefined
    })
  }

  return {
    async hold(keys) {
      const clocked = keys.dependencies.filter(({ clock }) => clock !== undefined)
      if (clocked.length === 0) return undefined
      try {
        return await ask(clocked, keys)
      } catch (error) {
        logger.log(
          'warn',
          'how long the keys of a person hold cannot be found out: they are evaluated again and again',
          {
            tables: clocked.map(({ schema, name }) => `${schema}.${name}`),
            reason: errorMessage(error),
          },
        )
        return KEY_MOMENTS_RETRY_MS
      }
    },
  }
}

/** Renders the query for the first moment among the rows that concern the user. The compiler printed the expressions; values are parameters. */
function momentsOf(
  { schema, name, pin, clock }: PlannedDependency,
  values: readonly (string | null)[] | undefined,
  after: string,
): SqlFragment {
  const next = clock?.next ?? []
  const type = clock?.pinType
  const isPinned = pin !== undefined && type !== undefined && values !== undefined
  const mine = isPinned
    ? sql`where r.${sql.trusted(quoteIdentifier(pin.column))} = any(${values.filter((value) => value !== null)}::text[]::${sql.trusted(type)}[])`
    : sql``
  return sql`
    select min(${sql.trusted(next.length > 1 ? `least(${next.join(', ')})` : (next[0] ?? 'null'))}) as at
      from ${sql.trusted(quoteName(schema, name))} r, (select to_timestamp(${after}::float8) as after) t ${mine}`
}
