import { createHash } from 'node:crypto'
import type { FastifyPluginAsync } from 'fastify'
import { requireCaller } from '@holdfast/http'
import type { PoolShare } from '@holdfast/postgres'
import { WRITE_RULES_PATH, type WriteRules } from '@holdfast/protocol'
import type { CompiledRules } from '../write-rules/compiled-rules.ts'
import { evaluateFacts } from '../write-rules/evaluate-facts.ts'
import { VersionedJson } from './versioned-json.ts'

/**
 * `GET /sync/v1/write-rules`: returns the write policies as far as devices can evaluate them. Supports `if-none-match`.
 *
 * @param options.share - connects as `authenticator`
 */
export function writeRulesRoutes(options: {
  readonly share: PoolShare
  readonly rules: CompiledRules
  /** For devices that accept gzip. */
  readonly compress: boolean
}): FastifyPluginAsync {
  const json = new VersionedJson(options.compress)
  return async (app) => {
    app.get(WRITE_RULES_PATH, async (request, reply) => {
      const { role, userId, claims } = requireCaller(request)
      const compiled = await options.rules.of(role)
      const pool = options.share.for({ userKey: userId })
      const { tables } = compiled
      const facts = await evaluateFacts(pool, { role, claims }, compiled)
      const version = createHash('sha256').update(JSON.stringify({ tables, facts })).digest('hex').slice(0, 16)
      return json.send(request, reply, { version, tables, facts } satisfies WriteRules)
    })
  }
}
