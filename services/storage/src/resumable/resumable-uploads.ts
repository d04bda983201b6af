import { randomUUID } from 'node:crypto'
import { ERRORS, Server } from '@tus/server'
import type { FastifyRequest } from 'fastify'
import { HoldfastError } from '@holdfast/foundation'
import { requireCaller } from '@holdfast/http'
import { isVersion } from '../backend/backend.ts'
import type { StorageContext } from '../context.ts'
import { toStorageError } from '../database/postgres-error.ts'
import type { RequestDatabase } from '../database/request-database.ts'
import { findUploadServer, noteUpload } from '../database/resumable-uploads.ts'
import { invalidRequest, tooManyTransfers, uploadOnOtherServer } from '../errors.ts'
import { UPLOAD_LOCK_WAIT_MS } from '../limits.ts'
import { admitWrite, bytesMaxOf, requireFits } from '../objects/write-object.ts'
import type { Operation } from '../operations.ts'
import { openRequest, userKeyOf } from '../request/open-request.ts'
import { finishUpload } from './finish-upload.ts'
import { createKeyLocker } from './key-locker.ts'
import { describeUpload, type DescribedUpload, type Writer } from './upload-intent.ts'
import type { UploadRecord, Uploads } from './uploads.ts'

const OPERATIONS = { POST: 'create', PATCH: 'part', HEAD: 'get', DELETE: 'delete' } as const

/** Mount point of resumable uploads. */
interface Mount {
  /** Absolute path of the endpoint. */
  readonly path: string
  /** Whether a signed-upload token replaces the caller's rights. */
  readonly isSigned: boolean
}

type Signed = { readonly upsert: boolean; readonly owner: string | undefined }

/** Resumable uploads per TUS 1.0.0, using `@tus/server`. Policies are checked as the caller of each writing request, and again when the object is created. */
export class ResumableUploads {
  readonly #context: StorageContext
  readonly #store: Uploads
  readonly #mount: Mount
  readonly #server: Server
  readonly #requests = new WeakMap<Request, FastifyRequest>()
  /** Size limit for each admitted request, from its bucket. */
  readonly #bytesMax = new WeakMap<FastifyRequest, number>()
  /** Uploads whose object is being created. */
  readonly #finishing = new Map<string, Promise<void>>()

  constructor(context: StorageContext, store: Uploads, mount: Mount) {
    this.#context = context
    this.#store = store
    this.#mount = mount
    this.#server = new Server({
      path: mount.path,
      datastore: store,
      locker: createKeyLocker(UPLOAD_LOCK_WAIT_MS),
      disableTerminationForFinishedUploads: true,
      // `OPTIONS` names no bucket.
      maxSize: (web) => this.#bytesMax.get(this.#requestOf(web)) ?? context.fileSizeLimit,
      namingFunction: async (web, metadata) => {
        if (!metadata) throw invalidRequest('Metadata header is required')
        const request = this.#requestOf(web)
        const id = randomUUID()
        await this.#admit(request, { id, size: saidLength(request), metadata })
        return id
      },
      generateUrl: (web, { id }) => urlOf(this.#requestOf(web), mount.path, id),
      getFileIdFromRequest: (_web, last) => last,
      onIncomingRequest: async (web, id) => {
        if (web.method !== 'POST') await this.#goOn(this.#requestOf(web), id)
      },
      onUploadFinish: async (web, { id }) => {
        await this.#finish(this.#requestOf(web), id)
        return { headers: { 'Tus-Complete': '1' } }
      },
      onResponseError: (_web, thrown) => {
        const error = toStorageError(thrown)
        return error instanceof HoldfastError ? { status_code: error.status, body: error.message } : undefined
      },
    })
  }

  /** @param request - the same request in Fastify's form */
  async handle(web: Request, request: FastifyRequest): Promise<Response> {
    this.#requests.set(web, request)
    return this.#server.handleWeb(web)
  }

  #requestOf(web: Request): FastifyRequest {
    const request = this.#requests.get(web)
    if (!request) throw new Error('a TUS request did not come through its route')
    return request
  }

  /** Checks whether the caller may create this upload. Nothing is stored yet. */
  async #admit(request: FastifyRequest, upload: Pick<UploadRecord, 'id' | 'size' | 'metadata'>): Promise<void> {
    const signed = await this.#signedOf(request, upload.metadata)
    const upsert = signed ? signed.upsert : request.headers['x-upsert'] === 'true'
    const described = describeUpload({ ...upload, upsert }, writerOf(request, signed))
    await this.#judge(request, described, upload.size)
    const person = userKeyOf(request)
    if (await this.#store.isFull(person)) throw tooManyTransfers('uploads')
    await this.#databaseOf(request).transaction(({ asService }) =>
      asService((tx) => noteUpload(tx, upload.id, this.#store.serverId)),
    )
    this.#store.expect(upload.id, { upsert, person })
  }

  /** Checks whether the caller may continue an upload, and finishes one that is completely received. */
  async #goOn(request: FastifyRequest, id: string): Promise<void> {
    const record = await this.#store.find(id)
    if (!record) return this.#requireHere(request, id)
    if (record.isFinished) return
    const described = await this.#describe(request, record)
    if (request.method !== 'HEAD') return this.#judge(request, described, record.size ?? saidLength(request))
    // The server stopped after the last byte. Without this, the client would take the response for a success.
    if (record.size !== undefined && (await this.#store.offsetOf(record)) === record.size) {
      await this.#finish(request, id)
    }
  }

  /** Distinguishes uploads on another server: after "not found" the client would restart, alternating between two servers. */
  async #requireHere(request: FastifyRequest, id: string): Promise<void> {
    if (!isVersion(id)) return
    const server = await this.#databaseOf(request).transaction(({ asService }) =>
      asService((tx) => findUploadServer(tx, id)),
    )
    if (server !== undefined && server !== this.#store.serverId) throw uploadOnOtherServer()
  }

  async #judge(request: FastifyRequest, described: DescribedUpload, size = 0): Promise<void> {
    const { intent, mimeType } = described
    const rules = await admitWrite(this.#context, this.#databaseOf(request), intent, (found) => {
      // Order and messages as in Supabase: size, rights, type.
      if (size > bytesMaxOf(intent.name, found)) throw ERRORS.ERR_MAX_SIZE_EXCEEDED
    })
    requireFits(intent.name, { mimeType, size }, rules)
    // The library treats 0 as unlimited.
    this.#bytesMax.set(request, Math.max(1, bytesMaxOf(intent.name, rules)))
  }

  async #finish(request: FastifyRequest, id: string): Promise<void> {
    const underWay = this.#finishing.get(id)
    if (underWay) return underWay
    const mine = this.#finishOnce(request, id).finally(() => this.#finishing.delete(id))
    this.#finishing.set(id, mine)
    return mine
  }

  async #finishOnce(request: FastifyRequest, id: string): Promise<void> {
    const record = await this.#store.find(id)
    if (!record || record.isFinished) return
    const described = await this.#describe(request, record)
    await finishUpload(this.#context, this.#store, this.#databaseOf(request), { id, described })
  }

  async #describe(request: FastifyRequest, record: UploadRecord): Promise<DescribedUpload> {
    return describeUpload(record, writerOf(request, await this.#signedOf(request, record.metadata)))
  }

  async #signedOf(
    request: FastifyRequest,
    { bucketName, objectName }: UploadRecord['metadata'],
  ): Promise<Signed | undefined> {
    if (!this.#mount.isSigned) return undefined
    const token = request.headers['x-signature']
    if (typeof token !== 'string') throw invalidRequest('Missing x-signature header')
    return this.#context.urls.verifyUpload(token, { bucketId: bucketName ?? '', key: objectName ?? '' })
  }

  #databaseOf(request: FastifyRequest): RequestDatabase {
    return openRequest(this.#context, request, this.#operationOf(request))
  }

  #operationOf({ method }: FastifyRequest): Operation {
    const verb = OPERATIONS[method as keyof typeof OPERATIONS] ?? 'get'
    return `storage.tus.upload.${verb}${this.#mount.isSigned ? '_signed' : ''}`
  }
}

function writerOf(request: FastifyRequest, signed: Signed | undefined): Writer {
  return signed ? { owner: signed.owner, isJudged: false } : { owner: requireCaller(request).userId, isJudged: true }
}

/** Returns the length a client declares after creating the upload. */
function saidLength({ headers }: FastifyRequest): number | undefined {
  const length = headers['upload-length']
  return length === undefined ? undefined : Number(length)
}

/** Public URL of an upload, considering trusted proxies. */
function urlOf({ protocol, host }: FastifyRequest, path: string, id: string): string {
  return `${protocol}://${host}${path}/${id}`
}
