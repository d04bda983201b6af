import type { FastifyRequest } from 'fastify'
import type { RedirectPolicy } from './redirect-policy.ts'

/** Where a request wants people to be sent: a header, the query, or the page it came from; the site when none of them is allowed. */
export function redirectOf(request: FastifyRequest, redirects: RedirectPolicy): string {
  const { redirect_to: inQuery } = request.query as { readonly redirect_to?: unknown }
  const { redirect_to: inHeader, referer } = request.headers
  const asked = typeof inHeader === 'string' && inHeader !== '' ? inHeader : inQuery
  return redirects.choose(typeof asked === 'string' ? asked : undefined, referer)
}
