import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { createFileTable, decodePath, send, SHARED_HEADERS, type StaticFile } from './static-files.ts'

/** @param origins - additional origins that pages may load data from */
function contentSecurityPolicy(origins: readonly string[]): string {
  return [
    "default-src 'self'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "font-src 'self'",
    ["connect-src 'self'", ...origins].join(' '),
    "worker-src 'self'",
    "manifest-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "form-action 'self'",
    "require-trusted-types-for 'script'",
  ].join('; ')
}

/** Headers of every app file, including workers, which use the policy of their own response. */
const HEADERS = {
  ...SHARED_HEADERS,
  'permissions-policy':
    'accelerometer=(), camera=(self), display-capture=(), geolocation=(self), gyroscope=(), microphone=(), payment=(), usb=()',
}

const NOT_BUILT = 'The app has not been built. Run "npm run build", then reload this page.\n'

export interface AppFilesOptions {
  /** Folder of the built app. May not exist. */
  readonly directory: string
  /** Matches API paths, which never return a page. */
  readonly isApi: (path: string) => boolean
  /** Origins from which the app's maps load. */
  readonly mapOrigins: readonly string[]
}

/** Serves the built app: files by path, and `index.html` for every other page path, because the app has its own router. */
export function appFiles(options: AppFilesOptions): FastifyPluginAsync {
  return async (app) => {
    const files = createFileTable(options.directory)
    const headers = { ...HEADERS, 'content-security-policy': contentSecurityPolicy(options.mapOrigins) }
    app.route({
      method: ['GET', 'HEAD'],
      url: '/*',
      exposeHeadRoute: false,
      handler: async (request, reply) => {
        const path = decodePath(request.url)
        if (options.isApi(path)) return reply.callNotFound()
        const file = await files.find(path === '/' ? '/index.html' : path)
        if (file) return send(request, reply.headers(headers), file, { immutable: isHashed(file) })
        if (!wantsPage(request, path)) return reply.callNotFound()
        const page = await files.find('/index.html')
        if (page) return send(request, reply.headers(headers), page, { immutable: false })
        return reply
          .code(503)
          .headers({ ...headers, 'content-type': 'text/plain; charset=utf-8' })
          .send(NOT_BUILT)
      },
    })
  }
}

/** Returns whether a browser is navigating to a page; scripts requesting a missing file must not get one. */
function wantsPage(request: FastifyRequest, path: string): boolean {
  return (request.headers.accept ?? '').includes('text/html') && !path.startsWith('/assets/')
}

/** Returns whether the name contains a content hash, which the build adds below /assets/. */
function isHashed({ path }: StaticFile): boolean {
  return path.startsWith('/assets/')
}
