import type { FastifyPluginAsync } from 'fastify'
import { createFileTable, decodePath, send, SHARED_HEADERS } from '../static-files.ts'

/** As strict as the app's: no inline code or styles, and nothing from elsewhere. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  // Previews of mails, whose own policy runs no script.
  "frame-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

const HEADERS = {
  ...SHARED_HEADERS,
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}

const NOT_BUILT = 'The console has not been built. Run "npm run build", then reload this page.\n'

/**
 * Serves the built console at `/console/`: files by path, and `index.html` for all other paths, because the console has its own router.
 *
 * @param directory - may not exist
 */
export function consoleFiles(directory: string): FastifyPluginAsync {
  return async (app) => {
    const files = createFileTable(directory)
    app.get('/console', async (_request, reply) => reply.redirect('/console/', 308))
    app.get('/console/*', async (request, reply) => {
      const path = decodePath(request.url).slice('/console'.length)
      const isAsset = path.startsWith('/assets/')
      const file = await files.find(path === '/' ? '/index.html' : path)
      reply.headers(HEADERS)
      if (file) return send(request, reply, file, { immutable: isAsset })
      if (isAsset) return reply.callNotFound()
      const page = await files.find('/index.html')
      if (page) return send(request, reply, page, { immutable: false })
      return reply.code(503).type('text/plain; charset=utf-8').send(NOT_BUILT)
    })
  }
}
