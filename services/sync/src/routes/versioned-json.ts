import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { acceptsGzip } from '../stream/read-request.ts'

/** Compressed answers kept. A project has one per role and set of facts. */
const KEPT_MAX = 32
/** Below this many bytes, a single packet carries the answer either way. */
const COMPRESSED_MIN = 1_400

const compress = promisify(gzip)

/** Sends JSON with a version: `304` to a device that has it, and compressed once per version. */
export class VersionedJson {
  /** By version, least recently used first. */
  readonly #kept = new Map<string, Promise<Buffer>>()
  readonly #compresses: boolean

  /** @param compresses - false saves processor time on fast networks */
  constructor(compresses: boolean) {
    this.#compresses = compresses
  }

  /** @param body - has the same version exactly if it is the same */
  async send<Body extends { readonly version: string }>(
    request: FastifyRequest,
    reply: FastifyReply,
    body: Body,
  ): Promise<FastifyReply> {
    const etag = `"${body.version}"`
    reply.headers({ etag, 'cache-control': 'private, no-cache', vary: 'authorization, accept-encoding' })
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    reply.type('application/json; charset=utf-8')
    const isPacked = this.#compresses && acceptsGzip(request.headers['accept-encoding'])
    const known = isPacked ? this.#kept.get(body.version) : undefined
    const text = known ? undefined : JSON.stringify(body)
    if (!isPacked || (text !== undefined && text.length < COMPRESSED_MIN))
      return reply.send(text ?? JSON.stringify(body))
    const packed = known ?? compress(text ?? '')
    this.#keep(body.version, packed)
    return reply.header('content-encoding', 'gzip').send(await packed)
  }

  #keep(version: string, packed: Promise<Buffer>): void {
    this.#kept.delete(version)
    this.#kept.set(version, packed)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > KEPT_MAX && oldest !== undefined) this.#kept.delete(oldest)
  }
}
