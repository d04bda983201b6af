import type { FastifyPluginAsync } from 'fastify'
import { requireCaller } from '@holdfast/http'
import type { SyncPlan } from '@holdfast/policy'
import type { PoolShare } from '@holdfast/postgres'
import { SCHEMA_PATH } from '@holdfast/protocol'
import { CheckChoices } from '../schema/check-choices.ts'
import { describeSchema, type FindHiddenTables } from '../schema/describe-schema.ts'
import { VersionedJson } from './versioned-json.ts'

const NONE_HIDDEN: ReadonlySet<string> = new Set()

/**
 * `GET /sync/v1/schema`: returns the tables of the caller's role, without those hidden from the user, for the local database. Supports `if-none-match`.
 *
 * @param options.share - connects as `authenticator`
 * @param options.compress - for devices that accept gzip
 * @param options.plan - returns the plan that streams follow; throws a `HoldfastError` while there is none
 */
export function schemaRoutes(options: {
  readonly share: PoolShare
  readonly plan: () => SyncPlan
  readonly compress: boolean
  readonly findHiddenTables?: FindHiddenTables | undefined
}): FastifyPluginAsync {
  const checkChoices = new CheckChoices()
  const json = new VersionedJson(options.compress)
  return async (app) => {
    app.get(SCHEMA_PATH, async (request, reply) => {
      const { role, userId } = requireCaller(request)
      const pool = options.share.for({ userKey: userId })
      const hidden = userId === undefined ? undefined : await options.findHiddenTables?.(userId)
      const schema = await describeSchema(pool, options.plan(), role, checkChoices, hidden ?? NONE_HIDDEN)
      return json.send(request, reply, schema)
    })
  }
}
