import { join } from 'node:path'
import type { FastifyPluginAsync } from 'fastify'
import { Semaphore, type Clock, type Logger } from '@holdfast/foundation'
import type { Caller } from '@holdfast/http'
import type { Pool, PoolShare } from '@holdfast/postgres'
import { parseBucketSettings } from './buckets/bucket-settings.ts'
import { ensureConfiguredBuckets } from './buckets/configured-buckets.ts'
import { ImageCache, withImages } from './images/image-cache.ts'
import { ImageRenderer } from './images/image-renderer.ts'
import { openBackend } from './open-backend.ts'
import type { StorageContext } from './context.ts'
import { tooManyTransfers } from './errors.ts'
import {
  DOWNLOADS_UNDER_WAY_MAX,
  IMAGES_AT_ONCE,
  STALLED_MS,
  TRANSFORMS_UNDER_WAY_MAX,
  UPLOADS_UNDER_WAY_MAX,
} from './limits.ts'
import { sizeOption, type StorageOptions } from './options.ts'
import { SharedUploadStore } from './resumable/shared-upload-store.ts'
import { UploadStore } from './resumable/upload-store.ts'
import { storageRoutes } from './routes.ts'
import { deriveKeyPair, type S3KeyPair, type S3ProtocolOptions } from './s3/protocol.ts'
import { startSweep } from './sweep/sweep.ts'
import { createSignedUrls } from './signed-urls.ts'

export interface OpenStorageOptions {
  /** Connections as `authenticator`; statements run under the caller's role. Owned by the caller of `openStorage`. */
  readonly share: PoolShare
  /** Connected as Holdfast's own user: records which store belongs to the database. */
  readonly pool: Pool
  /** Connected as the role that bypasses row-level security: finds bytes without a row. */
  readonly readerPool: Pool
  /** Whether other servers of the database use the same file store, so that uploads may continue there. */
  readonly sharesUploads?: boolean
  /** The folder for files stored on this machine. */
  readonly folder: string
  /** The project's secret, from which the URL signing key is derived. */
  readonly jwtSecret: string
  readonly options: StorageOptions
  /** The project's public keys, which sign S3 requests that carry a user's token. */
  readonly apiKeys: readonly string[]
  /** Verifies a user's token. @throws {HoldfastError} if it is invalid or its session has ended */
  readonly verifyCaller: (token: string) => Promise<Caller>
  /** Timeout in ms for a client that stops reading a download. */
  readonly stalledMs?: number
  readonly logger: Logger
  readonly clock: Clock
}

export interface StorageService extends AsyncDisposable {
  /** Mount at `/storage/v1`, behind a hook that sets `request.caller`. */
  readonly routes: FastifyPluginAsync
  /** Credentials with which S3 clients act as `service_role`; `undefined` if the S3 endpoint is off. */
  readonly s3: (S3KeyPair & { readonly region: string }) | undefined
  readonly abilities: StorageAbilities
}

/** Limits and features that clients of the API may want to know beforehand. */
export interface StorageAbilities {
  /** Global file size limit in bytes. Buckets may set a lower one. */
  readonly fileSizeLimit: number
  /** Whether images can be resized and converted. */
  readonly rendersImages: boolean
}

/** Opens file storage: buckets and objects, compatible with Supabase's storage service. */
export async function openStorage(input: OpenStorageOptions): Promise<StorageService> {
  const { share, pool, readerPool, folder, jwtSecret, options, logger, clock } = input
  const fileSizeLimit = sizeOption(options, 'storageFileSizeLimit')
  const buckets = parseBucketSettings(options.storageBuckets, fileSizeLimit)
  await using opened = new AsyncDisposableStack()
  const images = new ImageCache(join(folder, 'images'), sizeOption(options, 'storageImageCacheSize'), logger)
  const backend = withImages(opened.use(await openBackend(options, folder, logger)), images)
  opened.use(startSweep({ pool, readerPool, backend, logger, clock }))
  const context: StorageContext = {
    share,
    backend,
    urls: createSignedUrls(jwtSecret, clock),
    fileSizeLimit,
    uploads: transferLimit(UPLOADS_UNDER_WAY_MAX, 'uploads'),
    downloads: transferLimit(DOWNLOADS_UNDER_WAY_MAX, 'downloads'),
    transforms: transferLimit(TRANSFORMS_UNDER_WAY_MAX, 'transforms'),
    stalledMs: input.stalledMs ?? STALLED_MS,
    logger,
    clock,
  }
  await ensureConfiguredBuckets(context, buckets)
  const s3 = s3ProtocolOf(input)
  const renderer = options.storageImageTransformationEnabled
    ? new ImageRenderer(backend, images, new Semaphore({ permits: IMAGES_AT_ONCE }))
    : undefined
  const lifetime = opened.move()
  return {
    routes: storageRoutes(context, {
      uploads: input.sharesUploads
        ? new SharedUploadStore({ pool, backend, clock, logger })
        : await UploadStore.open(folder, clock, logger),
      images: renderer,
      s3,
    }),
    s3: s3 && { ...s3.keyPair, region: s3.region },
    abilities: { fileSizeLimit, rendersImages: renderer !== undefined },
    [Symbol.asyncDispose]: () => lifetime.disposeAsync(),
  }
}

function transferLimit(permits: number, what: 'uploads' | 'downloads' | 'transforms'): Semaphore {
  return new Semaphore({ permits, leavesRoom: true, refuse: () => tooManyTransfers(what) })
}

function s3ProtocolOf(input: OpenStorageOptions): S3ProtocolOptions | undefined {
  const { options, jwtSecret, apiKeys, verifyCaller } = input
  if (!options.storageS3ProtocolEnabled) return undefined
  return { keyPair: deriveKeyPair(jwtSecret), region: options.storageS3ProtocolRegion, apiKeys, verifyCaller }
}
