import { createHash } from 'node:crypto'
import type { FastifyPluginAsync } from 'fastify'
import { requireCaller } from '@holdfast/http'
import type { PoolShare } from '@holdfast/postgres'
import { WRITE_RULES_PATH, type WriteRules } from '@holdfast/protocol'
import type { CompiledRules } from '../write-rules/compiled-rules.ts'
import { evaluateFacts } from '../write-rules/evaluate-facts.ts'

/**
 * `GET /sync/v1/write-rules`: returns the write policies as far as devices can evaluate them. Supports `if-none-match`.
 *
 * @param options.share - connects as `authenticator`
 */
export function writeRulesRoutes(options: {
  readonly share: PoolShare
  readonly rules: CompiledRules
}): FastifyPluginAsync {
  return async (app) => {
    app.get(WRITE_RULES_PATH, async (request, reply) => {
      const { role, userId, claims } = requireCaller(request)
      const compiled = await options.rules.of(role)
      const pool = options.share.for({ userKey: userId })
      const { tables } = compiled
      const facts = await evaluateFacts(pool, { role, claims }, compiled)
      const version = createHash('sha256').update(JSON.stringify({ tables, facts })).digest('hex').slice(0, 16)
      const etag = `"${version}"`
      reply.headers({ etag, 'cache-control': 'private, no-cache', vary: 'authorization' })
      return request.headers['if-none-match'] === etag
        ? reply.code(304).send()
        : ({ version, tables, facts } satisfies WriteRules)
    })
  }
}
