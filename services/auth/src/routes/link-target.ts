import type { FastifyRequest } from 'fastify'
import type { LinkTarget } from '../confirmations/token-messages.ts'
import { parseCodeChallenge } from '../flow-state/flow-state.ts'
import { redirectOf, type RedirectPolicy } from '../redirects/redirect-policy.ts'

interface Body {
  readonly code_challenge?: string | null
  readonly code_challenge_method?: string | null
}

/**
 * Reads a mailed link's redirect target, and its PKCE challenge if the client sent one.
 *
 * @throws {HoldfastError} `validation_failed`
 */
export function linkTargetOf(request: FastifyRequest, body: Body, redirects: RedirectPolicy): LinkTarget {
  return {
    codeChallenge: parseCodeChallenge(body.code_challenge ?? '', body.code_challenge_method ?? ''),
    redirectTo: redirectOf(request, redirects),
  }
}
