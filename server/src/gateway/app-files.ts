import { readFile, readdir, stat } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { constants, brotliCompress, gzip } from 'node:zlib'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}

/** Already compressed inside. */
const INCOMPRESSIBLE = new Set(['.ico', '.jpg', '.png', '.webp', '.woff2'])

/** Bytes below which compressing gains nothing. */
const COMPRESS_BYTES_MIN = 1_024

/** Milliseconds between two looks for new files, after an address was not found. */
const RESCAN_MS = 1_000

/** @param origins - what pages may load data from beside this server */
function contentSecurityPolicy(origins: readonly string[]): string {
  return [
    "default-src 'self'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
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

/** On every file of the app, workers included: a worker lives under the policy of its own answer. */
const HEADERS = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy':
    'accelerometer=(), camera=(self), display-capture=(), geolocation=(self), gyroscope=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
}

const NOT_BUILT = 'The app has not been built. Run "npm run build", then reload this page.\n'

interface AppFile {
  readonly path: string
  /** Changes with the file: size and time of its last change. */
  readonly etag: string
  readonly extension: string
  readonly bytes: Buffer
  /** Compressed forms, each made at the first request for it. */
  readonly encoded: Map<string, Promise<Buffer>>
}

export interface AppFilesOptions {
  /** Folder of the built app. It need not exist. */
  readonly directory: string
  /** Addresses that belong to an API: a page is never the answer there. */
  readonly isApi: (path: string) => boolean
  /** Origins that the app's maps load from. */
  readonly mapOrigins: readonly string[]
}

/**
 * Serves the built app: files by their address, and `index.html` for every other page address, because the app has its own router.
 * Only files that were found in the folder have an address, so none outside of it does.
 */
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
        if (file) return send(request, reply.headers(headers), file)
        if (!wantsPage(request, path)) return reply.callNotFound()
        const page = await files.find('/index.html')
        if (page) return send(request, reply.headers(headers), page)
        return reply
          .code(503)
          .headers({ ...headers, 'content-type': 'text/plain; charset=utf-8' })
          .send(NOT_BUILT)
      },
    })
  }
}

function decodePath(url: string): string {
  const mark = url.search(/[?#]/)
  try {
    return decodeURIComponent(mark < 0 ? url : url.slice(0, mark))
  } catch {
    return '' // no file has this name
  }
}

/** A person's browser asks for a page; a script that asks for a missing file must not get one. */
function wantsPage(request: FastifyRequest, path: string): boolean {
  return (request.headers.accept ?? '').includes('text/html') && !path.startsWith('/assets/')
}

async function send(request: FastifyRequest, reply: FastifyReply, file: AppFile): Promise<FastifyReply> {
  const encoding = chooseEncoding(request, file)
  const etag = `"${file.etag}${encoding === undefined ? '' : `-${encoding}`}"`
  reply.headers({
    'content-type': MEDIA_TYPES[file.extension] ?? 'application/octet-stream',
    // The build puts a hash of the content into the names below /assets/.
    'cache-control': file.path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'accept-encoding',
    etag,
  })
  if (request.headers['if-none-match']?.split(/\s*,\s*/).includes(etag)) return reply.code(304).send()
  const body = encoding === undefined ? file.bytes : await encode(file, encoding)
  if (encoding !== undefined) reply.header('content-encoding', encoding)
  reply.header('content-length', body.length)
  return request.method === 'HEAD' ? reply.send() : reply.send(body)
}

function chooseEncoding(request: FastifyRequest, file: AppFile): 'br' | 'gzip' | undefined {
  if (INCOMPRESSIBLE.has(file.extension) || file.bytes.length < COMPRESS_BYTES_MIN) return undefined
  const accepted = String(request.headers['accept-encoding'] ?? '')
  if (/\bbr\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(accepted)) return 'br'
  return /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(accepted) ? 'gzip' : undefined
}

function encode(file: AppFile, encoding: 'br' | 'gzip'): Promise<Buffer> {
  let made = file.encoded.get(encoding)
  if (!made) {
    made =
      encoding === 'gzip'
        ? promisify(gzip)(file.bytes, { level: 6 })
        : promisify(brotliCompress)(file.bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })
    file.encoded.set(encoding, made)
  }
  return made
}

interface FileTable {
  find(path: string): Promise<AppFile | undefined>
}

/** Knows the files of a folder by their address. A file that was built from scratch is read again. */
function createFileTable(directory: string): FileTable {
  const loaded = new Map<string, AppFile>()
  /** Whoever asks while a scan runs waits for it. */
  let scanning: Promise<ReadonlyMap<string, string>> | undefined
  let scannedAt = -Infinity

  return {
    async find(path) {
      let source = (await scanning)?.get(path)
      if (source === undefined && performance.now() - scannedAt > RESCAN_MS) {
        scannedAt = performance.now()
        scanning = scan(directory)
        scanning.catch(() => (scanning = undefined)) // the request that waits for it says why; the next one looks again
      }
      source ??= (await scanning)?.get(path)
      if (source === undefined) return undefined
      const found = await stat(source).catch(() => undefined) // a new build has removed it
      if (!found?.isFile()) return undefined
      const etag = `${found.size.toString(36)}-${Math.round(found.mtimeMs).toString(36)}`
      const before = loaded.get(path)
      if (before?.etag === etag) return before
      const file: AppFile = {
        path,
        etag,
        extension: extname(source),
        bytes: await readFile(source),
        encoded: new Map(),
      }
      loaded.set(path, file)
      return file
    },
  }
}

async function scan(directory: string): Promise<ReadonlyMap<string, string>> {
  try {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true })
    return new Map(
      entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .map((path) => [`/${relative(directory, path).split(sep).join('/')}`, path]),
    )
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map()
    throw error
  }
}
