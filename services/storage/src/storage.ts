import { join } from 'node:path'
import type { FastifyPluginAsync } from 'fastify'
import type { Clock, Logger } from '@holdfast/foundation'
import { createFairLimit, type Caller } from '@holdfast/http'
import type { Pool, PoolShare } from '@holdfast/postgres'
import { parseBucketSettings } from './buckets/bucket-settings.ts'
import { ensureConfiguredBuckets } from './buckets/configured-buckets.ts'
import { DrawingQueue } from './images/drawing-queue.ts'
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
import { UploadStore } from './resumable/upload-store.ts'
import { storageRoutes } from './routes.ts'
import { deriveKeyPair, type S3KeyPair, type S3ProtocolOptions } from './s3/protocol.ts'
import { startSweep } from './sweep/sweep.ts'
import { createSignedUrls } from './signed-urls.ts'

export interface OpenStorageOptions {
  /** Connections as `authenticator`; statements run under the role of the caller. Owned by whoever opened it. */
  readonly share: PoolShare
  /** Connected as the user that Holdfast itself is: writes down which store belongs to the database. */
  readonly pool: Pool
  /** Connected as the role that reads all rows past their policies: finds bytes that have none. */
  readonly readerPool: Pool
  /** The folder of the files, when they are kept on this machine. */
  readonly folder: string
  /** The secret of the project, from which the key of signed addresses follows. */
  readonly jwtSecret: string
  readonly options: StorageOptions
  /** Public keys of the project, which sign requests of S3 that have the token of a person. */
  readonly apiKeys: readonly string[]
  /** Reads the token of a person. @throws {HoldfastError} when it is none, or its session has ended */
  readonly verifyCaller: (token: string) => Promise<Caller>
  /** Milliseconds in which a client takes nothing of a download before it is cut off. */
  readonly stalledMs?: number
  readonly logger: Logger
  readonly clock: Clock
}

export interface StorageService extends AsyncDisposable {
  /** To be mounted at `/storage/v1`, behind a hook that sets `request.caller`. */
  readonly routes: FastifyPluginAsync
  /** What S3 clients need to act as `service_role`; `undefined` when they are not served. */
  readonly s3: (S3KeyPair & { readonly region: string }) | undefined
}

/** Opens file storage: buckets and objects as Supabase's storage service has them. */
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
    uploads: createFairLimit(UPLOADS_UNDER_WAY_MAX, () => tooManyTransfers('uploads')),
    downloads: createFairLimit(DOWNLOADS_UNDER_WAY_MAX, () => tooManyTransfers('downloads')),
    transforms: createFairLimit(TRANSFORMS_UNDER_WAY_MAX, () => tooManyTransfers('transforms')),
    stalledMs: input.stalledMs ?? STALLED_MS,
    logger,
    clock,
  }
  await ensureConfiguredBuckets(context, buckets)
  const s3 = s3ProtocolOf(input)
  const renderer = options.storageImageTransformationEnabled
    ? new ImageRenderer(backend, images, new DrawingQueue(IMAGES_AT_ONCE))
    : undefined
  const lifetime = opened.move()
  return {
    routes: storageRoutes(context, {
      uploads: await UploadStore.open(folder, clock, logger),
      images: renderer,
      s3,
    }),
    s3: s3 && { ...s3.keyPair, region: s3.region },
    [Symbol.asyncDispose]: () => lifetime.disposeAsync(),
  }
}

function s3ProtocolOf(input: OpenStorageOptions): S3ProtocolOptions | undefined {
  const { options, jwtSecret, apiKeys, verifyCaller } = input
  if (!options.storageS3ProtocolEnabled) return undefined
  return { keyPair: deriveKeyPair(jwtSecret), region: options.storageS3ProtocolRegion, apiKeys, verifyCaller }
}
