import { readFile, readdir, stat } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { constants, brotliCompress, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

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

/** File types that are already compressed. */
const INCOMPRESSIBLE = new Set(['.ico', '.jpg', '.png', '.webp', '.woff2'])

/** Minimum size in bytes for compression. */
const COMPRESS_BYTES_MIN = 1_024

/** Minimum interval in ms between rescans after a path was not found. */
const RESCAN_MS = 1_000

export interface StaticFile {
  readonly path: string
  /** Derived from the file's size and modification time. */
  readonly etag: string
  readonly extension: string
  readonly bytes: Buffer
  /** Compressed variants, each created on first request. */
  readonly encoded: Map<string, Promise<Buffer>>
}

/** Headers of all pages and files: other sites may neither embed nor read them. */
export const SHARED_HEADERS = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
}

/** @returns the decoded path of a URL; empty if it is malformed */
export function decodePath(url: string): string {
  const mark = url.search(/[?#]/)
  try {
    return decodeURIComponent(mark < 0 ? url : url.slice(0, mark))
  } catch {
    return '' // matches no file
  }
}

/**
 * Sends a file, compressed if possible, or 304 if unchanged.
 *
 * @param immutable - whether its name changes with its contents
 */
export async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  file: StaticFile,
  { immutable }: { readonly immutable: boolean },
): Promise<FastifyReply> {
  const encoding = chooseEncoding(request, file)
  const etag = `"${file.etag}${encoding === undefined ? '' : `-${encoding}`}"`
  reply.headers({
    'content-type': MEDIA_TYPES[file.extension] ?? 'application/octet-stream',
    'cache-control': immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'accept-encoding',
    etag,
  })
  if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send()
  const body = encoding === undefined ? file.bytes : await encode(file, encoding)
  if (encoding !== undefined) reply.header('content-encoding', encoding)
  reply.header('content-length', body.length)
  return request.method === 'HEAD' ? reply.send() : reply.send(body)
}

/** Compares weakly (RFC 9110, 13.1.2), because compressing proxies mark tags as weak. */
function isKnown(header: string | undefined, etag: string): boolean {
  const known = header?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? []
  return known.includes(etag) || known.includes('*')
}

function chooseEncoding(request: FastifyRequest, file: StaticFile): 'br' | 'gzip' | undefined {
  if (INCOMPRESSIBLE.has(file.extension) || file.bytes.length < COMPRESS_BYTES_MIN) return undefined
  const accepted = String(request.headers['accept-encoding'] ?? '')
  if (/\bbr\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(accepted)) return 'br'
  return /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(accepted) ? 'gzip' : undefined
}

function encode(file: StaticFile, encoding: 'br' | 'gzip'): Promise<Buffer> {
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

export interface FileTable {
  find(path: string): Promise<StaticFile | undefined>
}

/**
 * Creates a table of a folder's files by path (`/index.html`). Only files found by scanning have a path, so none outside the folder can be reached. Picks up
 * rebuilt files.
 *
 * @param directory - may not exist
 */
export function createFileTable(directory: string): FileTable {
  const loaded = new Map<string, StaticFile>()
  /** Concurrent lookups wait for a running scan. */
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
      const found = await stat(source).catch(() => undefined) // removed by a new build
      if (!found?.isFile()) return undefined
      const etag = `${found.size.toString(36)}-${Math.round(found.mtimeMs).toString(36)}`
      const before = loaded.get(path)
      if (before?.etag === etag) return before
      const file: StaticFile = {
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
