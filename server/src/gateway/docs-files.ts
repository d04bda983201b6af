import type { FastifyPluginAsync } from 'fastify'
import { createFileTable, decodePath, send, SHARED_HEADERS } from './static-files.ts'

/** The only script on these pages is the search, which fetches its index as WebAssembly. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "form-action 'none'",
].join('; ')

const HEADERS = { ...SHARED_HEADERS, 'content-security-policy': CONTENT_SECURITY_POLICY }

const NOT_BUILT = 'The docs have not been built. Run "npm run build", then reload this page.\n'

const UNKNOWN = 'There is no such page. All pages are listed at /docs/.\n'

/**
 * Serves the docs site at `/docs/`. The trailing slash is required, because its links are relative.
 *
 * @param directory - the built site. May not exist.
 */
export function docsFiles(directory: string): FastifyPluginAsync {
  return async (app) => {
    const files = createFileTable(directory)
    app.get('/docs', async (_request, reply) => reply.redirect('/docs/', 308))
    app.get('/docs/*', async (request, reply) => {
      const path = decodePath(request.url).slice('/docs'.length)
      const file = await files.find(path === '/' ? '/index.html' : path)
      reply.headers(HEADERS)
      if (file) return send(request, reply, file, { immutable: false })
      const isBuilt = (await files.find('/index.html')) !== undefined
      return reply
        .code(isBuilt ? 404 : 503)
        .type('text/plain; charset=utf-8')
        .send(isBuilt ? UNKNOWN : NOT_BUILT)
    })
  }
}
