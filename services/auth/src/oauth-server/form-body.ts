import type { FastifyInstance, FastifyRequest } from 'fastify'
import { invalidRequest } from './errors.ts'

/** Accepts form bodies, which OAuth uses. Parses them from text so that repeated fields can be rejected. */
export function acceptForms(app: FastifyInstance): void {
  const type = 'application/x-www-form-urlencoded'
  if (app.hasContentTypeParser(type)) app.removeContentTypeParser(type)
  app.addContentTypeParser(type, { parseAs: 'string' }, (_request, body, done) => {
    done(null, new URLSearchParams(String(body)))
  })
}

/**
 * Returns the fields of a form, or of a JSON object for clients that send one.
 *
 * @throws {OAuthError} `invalid_request`
 * @see RFC 6749, section 3.2
 */
export function readFields(request: FastifyRequest): ReadonlyMap<string, string> {
  const { body } = request
  if (body instanceof URLSearchParams) {
    const fields = new Map<string, string>()
    for (const [name, value] of body) {
      if (fields.has(name)) throw invalidRequest(`${name} is given more than once`)
      fields.set(name, value)
    }
    return fields
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalidRequest('Failed to parse form data')
  }
  return new Map(Object.entries(body).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}
