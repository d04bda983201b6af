import { createHash, type Hash } from 'node:crypto'
import { Transform, type TransformCallback } from 'node:stream'
import { S3_CHUNK_LINE_BYTES_MAX, S3_TRAILERS_MAX } from '../limits.ts'
import { chunkMalformed, incompleteBody, signatureMismatch, trailerMalformed } from './s3-errors.ts'
import { isSame, sha256, sign, stringToSign, type ClaimedSignature } from './signature.ts'

export interface ChunkSigning {
  readonly key: Buffer
  readonly claimed: ClaimedSignature
}

type State =
  /** In the chunk size line. */
  | { readonly at: 'size' }
  | { readonly at: 'data'; readonly left: number }
  /** In the line break after chunk data. */
  | { readonly at: 'break' }
  | { readonly at: 'trailers' }
  | { readonly at: 'end' }

const EMPTY_SHA256 = sha256('')
const LINE_FEED = 0x0a

/**
 * Decodes an `aws-chunked` body. A wrong chunk signature fails the stream at the end of the chunk, so the receiver keeps the bytes only if the whole stream
 * succeeds.
 *
 * @param signing - chunk signing; `undefined` for unsigned chunks
 * @param bytes - decoded length
 */
export class ChunkedBody extends Transform {
  readonly trailers = new Map<string, string>()
  readonly #signing: ChunkSigning | undefined
  readonly #trailerNames: readonly string[]
  #left: number
  #state: State = { at: 'size' }
  #line = Buffer.alloc(0)
  #previous: string
  #signature = ''
  #hash: Hash | undefined

  constructor(signing: ChunkSigning | undefined, bytes: number, trailerNames: readonly string[]) {
    super()
    this.#signing = signing
    this.#left = bytes
    this.#trailerNames = trailerNames
    this.#previous = signing?.claimed.signature ?? ''
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    try {
      for (let rest = chunk; rest.length > 0;) rest = this.#take(rest)
      done()
    } catch (error) {
      done(error as Error)
    }
  }

  override _flush(done: TransformCallback): void {
    done(this.#state.at === 'end' && this.#left === 0 ? null : incompleteBody())
  }

  /** @returns the remaining bytes */
  #take(bytes: Buffer): Buffer {
    if (this.#state.at === 'end') throw chunkMalformed('data follows the last chunk')
    if (this.#state.at === 'data') return this.#takeData(bytes, this.#state.left)
    const feed = bytes.indexOf(LINE_FEED)
    const end = feed < 0 ? bytes.length : feed + 1
    if (this.#line.length + end > S3_CHUNK_LINE_BYTES_MAX) throw chunkMalformed('a line is too long')
    this.#line = Buffer.concat([this.#line, bytes.subarray(0, end)])
    if (feed >= 0) {
      const line = this.#line.toString('latin1').replace(/\r?\n$/, '')
      this.#line = Buffer.alloc(0)
      this.#state = this.#next(line)
    }
    return bytes.subarray(end)
  }

  #takeData(bytes: Buffer, left: number): Buffer {
    const data = bytes.subarray(0, left)
    this.#hash?.update(data)
    this.push(data)
    this.#state = data.length === left ? { at: 'break' } : { at: 'data', left: left - data.length }
    return bytes.subarray(data.length)
  }

  #next(line: string): State {
    switch (this.#state.at) {
      case 'size':
        return this.#begin(line)
      case 'break':
        if (line !== '') throw chunkMalformed('a chunk is longer than declared')
        this.#requireSigned()
        return { at: 'size' }
      default:
        return this.#takeTrailer(line)
    }
  }

  #begin(line: string): State {
    const match = /^([0-9a-f]{1,13})(?:;chunk-signature=([0-9a-f]{64}))?$/i.exec(line)
    if (!match || (this.#signing && match[2] === undefined)) throw chunkMalformed('a chunk has no size or no signature')
    const size = Number.parseInt(match[1] ?? '', 16)
    if (size > this.#left) throw incompleteBody()
    this.#left -= size
    this.#signature = match[2] ?? ''
    this.#hash = this.#signing && createHash('sha256')
    if (size > 0) return { at: 'data', left: size }
    this.#requireSigned()
    return { at: 'trailers' }
  }

  #takeTrailer(line: string): State {
    if (line === '') {
      this.#requireTrailers()
      return { at: 'end' }
    }
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    if (colon < 1 || this.trailers.size >= S3_TRAILERS_MAX || this.trailers.has(name)) throw trailerMalformed()
    if (name !== TRAILER_SIGNATURE && !this.#trailerNames.includes(name)) throw trailerMalformed()
    this.trailers.set(name, line.slice(colon + 1).trim())
    return { at: 'trailers' }
  }

  /** Each signature covers its predecessor, so chunks cannot be dropped or moved. */
  #requireSigned(): void {
    if (!this.#signing || !this.#hash) return
    const { key, claimed } = this.#signing
    const hashes = [this.#previous, EMPTY_SHA256, this.#hash.digest('hex')].join('\n')
    if (!isSame(sign(key, stringToSign('AWS4-HMAC-SHA256-PAYLOAD', claimed, hashes)), this.#signature))
      throw signatureMismatch()
    this.#previous = this.#signature
  }

  #requireTrailers(): void {
    if (this.#trailerNames.some((name) => !this.trailers.has(name))) throw trailerMalformed()
    if (!this.#signing || this.#trailerNames.length === 0) return
    const { key, claimed } = this.#signing
    const lines = this.#trailerNames.map((name) => `${name}:${this.trailers.get(name) ?? ''}\n`)
    const hashes = [this.#previous, sha256(lines.join(''))].join('\n')
    const expected = sign(key, stringToSign('AWS4-HMAC-SHA256-TRAILER', claimed, hashes))
    if (!isSame(expected, this.trailers.get(TRAILER_SIGNATURE) ?? '')) throw signatureMismatch()
  }
}

const TRAILER_SIGNATURE = 'x-amz-trailer-signature'
